"""The fixtures of the tests of pages."""

from monitor.tests.conftest import alice, carol, mallory, parcels, payments, site

__all__ = ["alice", "carol", "mallory", "parcels", "payments", "site"]
