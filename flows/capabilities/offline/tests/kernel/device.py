"""A device as the tests use it: it locks, transfers, loses its connection, and sends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flows import api
from flows.capabilities.offline.api import OfflinePackage, OfflineResult
from flows.tests.kit import Kit

TECHNICIAN, CLERK = ["r:Technician"], ["r:Clerk"]
NOON = "2026-05-01T12:00:00Z"


@dataclass
class Phone:
    """The device of a person."""

    kit: Kit
    person: str = "ana"
    key: str = "phone-of-a-technician"

    def __post_init__(self) -> None:
        self.id = api.offline.device_seen(self.person, self.key, conn=self.kit.conn).device

    def locked(self, wid: int) -> OfflinePackage:
        """Lock the measurement of an instance, and transfer it."""
        (task,) = [t for t in api.tasks.of_instance(wid, conn=self.kit.conn) if t.transition == "tr_measure"]
        api.tasks.take(task.job_id, self.person, TECHNICIAN, lock=True, conn=self.kit.conn)
        return self.package(task.job_id)

    def package(self, task: int) -> OfflinePackage:
        return api.offline.read_package(self.person, self.key, task, conn=self.kit.conn)

    def made(self, package: OfflinePackage, **values: Any) -> dict[str, Any]:
        """Return a result as it is made without a connection."""
        return {
            "task": package.job_id,
            "claim": package.claim,
            "seq": package.seq,
            "values": values,
            "made_at": NOON,
            "sent_at": NOON,
        }

    def send(self, number: int, result: dict[str, Any], conn: Any = None) -> OfflineResult:
        conn = conn or self.kit.conn
        found = api.offline.keep_result(self.person, self.key, number, result, conn=conn)
        while api.offline.continue_offline(self.id, conn=conn):
            pass
        return found

    def states(self) -> str:
        """Return the states of the results by number."""
        return "".join(one.state for one in reversed(api.offline.results(self.id, conn=self.kit.conn)))


def read_by_clerk(kit: Kit, wid: int, **values: Any) -> None:
    """Have the office perform its own task of an instance."""
    (task,) = [t for t in api.tasks.of_instance(wid, conn=kit.conn) if t.transition == "tr_read"]
    api.tasks.take(task.job_id, "carl", CLERK, conn=kit.conn)
    api.tasks.complete(task.job_id, "carl", values, conn=kit.conn)


def late_ones(kit: Kit, wid: int) -> list[tuple[str, str, str]]:
    """Return state, code and person of the late results of an instance."""
    found = kit.rows("select state, code, actor from wedsql.late_result where wid = %s order by id", [wid])
    return [tuple(one) for one in found]


def cases(kit: Kit, wid: int) -> list[str]:
    """Return the causes of the open cases of an instance."""
    found = kit.rows("select cause from wedsql.repair_case where wid = %s and closed_at is null", [wid])
    return [one.cause for one in found]


def violations(kit: Kit) -> list[Any]:
    return kit.rows("select * from wedsql.violations() v where v.found > 0")
