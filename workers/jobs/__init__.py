"""Jobs in hand: take them, run their handlers within their time, commit what these return."""
