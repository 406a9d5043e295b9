"""The programs of the peers' worker processes, one module each: ``python -m bench.peers.<name>``."""
