"""The reaper: a Django-Q cluster of its own, so that it lives while every transition worker hangs."""
