"""Keys of workers: with which a flow can require that its workers log in."""
