"""The fixtures of the tests of pages."""

from monitor.tests.conftest import alice, carol, mallory, parcels, site
from monitor.tests.test_alerts_pages import root

__all__ = ["alice", "carol", "mallory", "parcels", "root", "site"]
