"""Tasks performed without a connection: in a real browser that is killed, behind a line that is cut."""
