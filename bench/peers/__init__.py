"""What the peers' worker processes run: one module a peer, started as ``python -m bench.peers.<name>``."""
