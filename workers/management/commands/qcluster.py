"""`manage.py qcluster`: Django-Q's cluster, without the system checks of pages, which import all pages."""

from __future__ import annotations

from django_q.management.commands import qcluster

from workers.checks import CLUSTER


class Command(qcluster.Command):
    """Perform transitions in a cluster of Django-Q; with Q_CLUSTER_NAME=reaper, be the reaper."""

    requires_system_checks = (CLUSTER,)
