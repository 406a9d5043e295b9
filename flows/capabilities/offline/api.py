"""Work without a connection: devices get packages of locked tasks, and send results that count once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from flows.capabilities.cases.files import FileLimits
from flows.capabilities.tasks.api import TaskSheet
from flows.statements import JSON, read_as, rows, value

ACTIVE, DEVICE_WITHDRAWN, LOST = "A", "W", "L"
WAITING, ACCEPTED, LATE, REFUSED, DISCARDED, SKIPPED, GONE = "W", "A", "L", "R", "X", "S", "G"


@dataclass(frozen=True)
class DeviceContact:
    """What a device is answered: its state, and the secrets that encrypt what it stores and saves (base64).

    `files` is that of what it saves as files, which is the same for all devices of the person.
    """

    device: int
    state: str
    settled: int
    secret: str | None
    files: str | None


@dataclass(frozen=True)
class Device:
    """A device in a list: what it reported last, and how many of its results wait, for which number."""

    id: int
    person: str
    name: str
    program: str
    free_bytes: int | None
    energy: int | None
    unsent: int
    state: str
    state_by: str
    state_at: datetime | None
    registered_at: datetime
    seen_at: datetime
    tasks: int
    waiting: int
    waits_for: int | None
    bandwidth: int | None = None
    kind: str = ""
    away_since: datetime | None = None
    away_until: datetime | None = None
    conflicts: int = 0


@dataclass(frozen=True)
class DeviceTask:
    """A task that a device has or could have; `elsewhere`: another device of the person has it, too."""

    task: int
    version: str
    locked: bool
    taken: bool
    size: int
    elsewhere: bool


@dataclass(frozen=True)
class OfflinePackage(TaskSheet):
    """A task as a device gets it; `seq` is the step on whose values it is, `version` changes with it.

    `warn_hours` are how many hours before its deadline the site sends messages; 0 is the deadline itself.
    """

    version: str = ""
    warn_hours: Sequence[float] = ()


@dataclass(frozen=True)
class OfflineResult:
    """What became of a result of a device; `late` is the state of the late result that it was kept as.

    `skew` is how many seconds the clock of the device was behind that of the server.
    """

    number: int
    state: str
    task: int | None = None
    instance: int | None = None
    title: str | None = None
    made_at: datetime | None = None
    skew: float | None = None
    arrived_at: datetime | None = None
    decided_at: datetime | None = None
    decided_by: str = ""
    seq: int | None = None
    late_id: int | None = None
    late: str | None = None
    late_by: str | None = None
    problem: Mapping[str, Any] | None = None
    waits_for: int | None = None


@dataclass(frozen=True)
class SentFile:
    """A file as a device sends it."""

    name: str
    content: bytes


def device_seen(
    person: str, key: str, report: Mapping[str, Any] | None = None, *, conn: Any = None
) -> DeviceContact:
    """Note that a device is connected, with what it reports. Raises BadDefinition, DeviceLimit."""
    found = value(conn, "select wedsql.device_seen(%s, %s, %s)", (person, key, JSON(report or {})))
    return DeviceContact(**found)


def offline_tasks(person: str, *, conn: Any = None) -> list[tuple[int, str]]:
    """Return the tasks that a person has locked, with the version of each package, at most 500."""
    found = rows(conn, "select job_id, version from wedsql.offline_tasks(%s)", (person,))
    return [(int(task), str(version)) for task, version in found]


def read_package(person: str, key: str, task: int, *, conn: Any = None) -> OfflinePackage:
    """Return the package of a task that its person has locked, for a device, and note that the device has it.

    Raises UnknownTask, TaskTaken, TaskNotHeld, UnknownDevice, DeviceEnded.
    """
    return read_as(OfflinePackage, value(conn, "select wedsql.read_package(%s, %s, %s)", (person, key, task)))


def device_tasks(
    person: str, key: str, keys: Sequence[str] | None = None, *, conn: Any = None
) -> list[DeviceTask]:
    """Return the tasks of a person for a device: the locked ones, and with keys those that could be locked.

    `keys` are the audiences of the person; of tasks that could be locked there are at most 50.
    """
    call = "select * from wedsql.device_tasks(%s, %s, %s::text[])"
    return [DeviceTask(*row) for row in rows(conn, call, (person, key, None if keys is None else list(keys)))]


def prefetch_package(
    person: str, key: str, task: int, keys: Sequence[str], *, conn: Any = None
) -> OfflinePackage:
    """Return the package of a task that its person could lock, for a device, and note that the device has it.

    Raises UnknownTask, NotPermittedTask, TaskTaken, TaskNotHeld, UnknownDevice, DeviceEnded.
    """
    call = "select wedsql.prefetch_package(%s, %s, %s, %s::text[])"
    return read_as(OfflinePackage, value(conn, call, (person, key, task, list(keys))))


def go_offline(
    person: str, key: str, keys: Sequence[str], plan: Mapping[str, Any], *, conn: Any = None
) -> dict[str, Any]:
    """Give back and lock tasks for a device, and note for how long its person expects to be away.

    `plan` has back and lock (numbers of tasks), minutes, and least: the energy and free_bytes without which
    no task is locked. Each task is decided on its own, and has its problem. Raises BadDefinition,
    UnknownDevice, DeviceEnded.
    """
    call = "select wedsql.go_offline(%s, %s, %s::text[], %s)"
    return dict(value(conn, call, (person, key, list(keys), JSON(plan))))


def offline_chain(
    person: str, key: str, task: int, keys: Sequence[str], *, conn: Any = None
) -> dict[str, Any]:
    """Return the packages of the tasks that can follow one that a device has; an empty result without any.

    `tasks`: each with its rule, form and the tree of its condition; `after`: what the task sets, by outcome.
    `keys` are the audiences of the person. Raises UnknownTask, UnknownDevice, DeviceEnded.
    """
    found = value(
        conn, "select wedsql.offline_chain(%s, %s, %s, %s::text[])", (person, key, task, list(keys))
    )
    return dict(found or {})


def offline_rule(task: int, transition: str, *, conn: Any = None) -> dict[str, Any] | None:
    """Return the rule of a transition as a device needs it, on the state of a task; None if there is none.

    Raises UnknownTask.
    """
    found = value(conn, "select wedsql.offline_rule(%s, %s)", (task, transition.replace("\x00", "")))
    return None if found is None else dict(found)


def confirm_packages(person: str, key: str, tasks: Sequence[int], *, conn: Any = None) -> None:
    """Note that a device has these tasks as they were given to it. Raises UnknownDevice, DeviceEnded."""
    value(conn, "select wedsql.confirm_packages(%s, %s, %s::bigint[])", (person, key, list(tasks)))


def share_package(person: str, key: str, task: int, via: str, *, conn: Any = None) -> None:
    """Note that a device has the package of a task that another device of its person has saved as a file.

    `via` is the key of that device; nothing is noted where it was not given the task. Safe to repeat.
    Raises UnknownDevice, DeviceEnded.
    """
    value(conn, "select wedsql.share_package(%s, %s, %s, %s)", (person, key, task, via))


def attach_offline_file(
    person: str, key: str, task: int, attribute: str, file: SentFile, limits: FileLimits, *, conn: Any = None
) -> dict[str, Any]:
    """Store a file for a field of a task that the device was given; return its description.

    The person need not hold the task any more: a late result has its files, too. Safe to repeat.
    Raises UnknownTask, TaskNotHeld, TaskFileNotTaken, UnknownDevice, DeviceEnded.
    """
    call = "select wedsql.attach_offline_file(%s, %s, %s, %s, %s, %b, %s)"
    given = (person, key, task, attribute, file.name.replace("\x00", ""), file.content, JSON(asdict(limits)))
    return dict(value(conn, call, given))


def offline_file(
    task: int, attribute: str, name: str, sha256: str, *, conn: Any = None
) -> dict[str, Any] | None:
    """Return the description of a file that was sent for an attribute of a task; None if it was not."""
    given = (task, attribute, name.replace("\x00", ""), sha256)
    found = value(conn, "select wedsql.offline_file(%s, %s, %s, %s)", given)
    return None if found is None else dict(found)


def keep_offline_result(
    person: str, key: str, number: int, result: Mapping[str, Any], *, conn: Any = None
) -> OfflineResult:
    """Keep a result of a device, and apply it if those before it have been; safe to repeat.

    `result` has task, claim, seq, values, outcome, reason, made_at and sent_at, or discarded; for a task that
    became ready on the device, after, of and transition instead of the first three. `without` names files
    that the site did not take, `via` the device whose package was opened from a file. Raises BadDefinition,
    UnknownDevice, DeviceEnded, OtherResult, FileMissing.
    """
    call = "select wedsql.keep_offline_result(%s, %s, %s, %s)"
    return read_as(OfflineResult, value(conn, call, (person, key, number, JSON(result))))


def give_offline_result(person: str, key: str, number: int, *, conn: Any = None) -> OfflineResult:
    """Keep a refused result of a device as a late result with a case; safe to repeat.

    Raises BadDefinition, UnknownDevice, DeviceEnded.
    """
    call = "select wedsql.give_offline_result(%s, %s, %s)"
    return read_as(OfflineResult, value(conn, call, (person, key, number)))


def continue_offline(device: int, *, conn: Any = None) -> int | None:
    """Apply the next result of a device that waits; return its number, None if none can be applied."""
    found = value(conn, "select wedsql.continue_offline(%s)", (device,))
    return None if found is None else int(found)


def skip_offline_results(device: int, actor: str, reason: str, *, conn: Any = None) -> int:
    """Let the waiting results of a device go on without the missing ones; return how many are missing.

    Raises BadDefinition, UnknownDevice.
    """
    return int(value(conn, "select wedsql.skip_offline_results(%s, %s, %s)", (device, actor, reason)))


def offline_results(
    device: int,
    person: str | None = None,
    before: int | None = None,
    limit: int = 50,
    *,
    late: bool = False,
    conn: Any = None,
) -> list[OfflineResult]:
    """Return results of a device below a number, the last first; None: whoever it belongs to.

    `late`: only those that came too late.
    """
    call = "select * from wedsql.offline_results(%s, %s, %s, %s, %s)"
    return [OfflineResult(*row) for row in rows(conn, call, (device, person, before, limit, late))]


def devices(
    person: str | None = None, before: int | None = None, limit: int = 50, *, conn: Any = None
) -> list[Device]:
    """Return devices of a person or of all below a number, the last first."""
    call = "select * from wedsql.devices(%s, %s, %s)"
    return [Device(*row) for row in rows(conn, call, (person, before, limit))]


def set_device_state(device: int, state: str, actor: str, *, conn: Any = None) -> None:
    """Make a device active (A), withdraw it (W), or report it lost (L).

    Raises BadDefinition, UnknownDevice.
    """
    value(conn, "select wedsql.set_device_state(%s, %s, %s)", (device, state, actor))
