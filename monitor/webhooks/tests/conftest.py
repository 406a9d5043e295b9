"""The fixtures of the tests of pages."""

from monitor.alerts.tests.test_alerts_pages import root
from monitor.tests.conftest import alice, carol, mallory, parcels, site

__all__ = ["alice", "carol", "mallory", "parcels", "root", "site"]
