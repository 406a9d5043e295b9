"""Devices, persons, an office and a line between them, for random rounds of work without a connection."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import psycopg

from flows import api
from flows.capabilities.offline.tests.kernel.device import TECHNICIAN, Phone, read_by_clerk
from flows.errors import WedError
from flows.tests.kit import Kit

PEOPLE = ("ana", "ana", "bob")
SLOWEST = 0.04


@dataclass
class Made:
    """A result that a device has called saved, and the answer of the site, if the device got one."""

    number: int
    content: dict[str, Any]
    wid: int
    answer: Any = None


@dataclass
class Gadget:
    """A device: what was transferred to it, and its outbox."""

    phone: Phone
    packages: dict[int, Any] = field(default_factory=dict)
    outbox: list[Made] = field(default_factory=list)

    def waiting(self) -> list[Made]:
        return [one for one in self.outbox if one.answer is None]


class World:
    """One round: some instances, three devices of two persons, and random actions in a random order."""

    def __init__(self, kit: Kit, seed: int) -> None:
        self.kit, self.seed = kit, seed
        self.draw = random.Random(seed)  # noqa: S311 - a repeatable test
        self.wids = [kit.start() for _ in range(5)]
        self.devices = [Gadget(Phone(kit, person, f"device-{seed:08}-{n}-{kit.name}"[:64]))
                        for n, person in enumerate(PEOPLE)]  # fmt: skip
        self.counted: Counter[str] = Counter()

    def run(self, actions: int) -> None:
        """Perform so many random actions, and then let every device deliver everything."""
        for _turn in range(actions):
            action = self.draw.choice(ACTIONS)
            self.counted[action.__name__] += 1
            try:
                action(self)
            except WedError as refused:
                self.counted[refused.code] += 1
        self.settle()

    def settle(self) -> None:
        """End what holds instances back, and have each device send until each result has its answer."""
        for wid in self.wids:
            if self.kit.status(wid) == "S":
                api.operations.resume(wid, "Go on.", conn=self.kit.conn)
        for device in self.devices:
            api.offline.set_device_state(device.phone.id, "A", "boss", conn=self.kit.conn)
            for one in sorted(device.waiting(), key=lambda each: each.number):
                one.answer = device.phone.send(one.number, one.content)

    def instance(self) -> int:
        return self.draw.choice(self.wids)

    def device(self) -> Gadget:
        return self.draw.choice(self.devices)

    def measuring(self, wid: int) -> int | None:
        """Return the open task of the technician."""
        found = api.tasks.of_instance(wid, conn=self.kit.conn)
        return next(
            (one.job_id for one in found if one.transition == "tr_measure" and not one.ended_at), None
        )


def lock(world: World) -> None:
    """Lock a task, and transfer it."""
    wid, device = world.instance(), world.device()
    if task := world.measuring(wid):
        api.tasks.take(task, device.phone.person, TECHNICIAN, lock=True, conn=world.kit.conn)
        device.packages[wid] = device.phone.package(task)


def go_offline(world: World) -> None:
    """Transfer a task that is not locked, and lock it by going offline."""
    wid, device = world.instance(), world.device()
    if not (task := world.measuring(wid)):
        return
    person, key = device.phone.person, device.phone.key
    package = api.offline.prefetch_package(person, key, task, TECHNICIAN, conn=world.kit.conn)
    if world.draw.random() < 0.3:
        office(world)
    found = api.offline.go_offline(
        person, key, TECHNICIAN, {"lock": [task], "minutes": 60}, conn=world.kit.conn
    )
    answer = found["tasks"][0]
    if answer.get("has"):
        device.packages[wid] = (package, answer["claim"])
    elif answer.get("done"):
        device.packages[wid] = device.phone.package(task)


def perform(world: World) -> None:
    """Make a result of a task that the device has; it is saved, and stays until the site has answered."""
    device = world.device()
    if not device.packages:
        return
    wid = world.draw.choice(sorted(device.packages))
    package, claim, via = _unpacked(device.packages.pop(wid))
    number = len(device.outbox) + 1
    values = {"meter": str(number), "note": f"{world.seed}-{device.phone.id}-{number}"}
    content = device.phone.made(package, **values) | {"claim": claim} | ({"via": via} if via else {})
    if world.draw.random() < 0.1:
        content = {**content, "values": {}, "reason": "The cellar is locked."}
    elif world.draw.random() < 0.1:
        content |= {"outcome": "there is no such outcome"}
    device.outbox.append(Made(number, content, wid))


def _unpacked(kept: Any) -> tuple[Any, ...]:
    """Return a package, the claim of its lock, and the device that has saved it as a file."""
    return (*kept, "")[:3] if isinstance(kept, tuple) else (kept, kept.claim, "")


def carry(world: World) -> None:
    """Take a package as a file to the other device of its person; both may perform it then."""
    one, other = world.draw.sample(world.devices[:2], 2)
    if one.packages:
        wid = world.draw.choice(sorted(one.packages))
        package, claim, via = _unpacked(one.packages[wid])
        other.packages[wid] = (package, claim, via or one.phone.key)


def send(world: World) -> None:
    """Send what waits, in its order."""
    device = world.device()
    for one in device.waiting()[: world.draw.randint(1, 3)]:
        one.answer = device.phone.send(one.number, one.content)


def send_in_disorder(world: World) -> None:
    """Send any results, some again, and lose the answers."""
    device = world.device()
    for one in world.draw.sample(device.outbox, min(2, len(device.outbox))):
        device.phone.send(one.number, one.content)


def send_and_break(world: World) -> None:
    """Send a result, and have its connection killed at a random moment: before, in or after the work."""
    device = world.device()
    if not device.waiting():
        return
    one, conn = device.waiting()[0], world.kit.connect()
    kill = threading.Timer(world.draw.uniform(0, SLOWEST), _kill, (world.kit, conn.info.backend_pid))
    kill.start()
    try:
        api.offline.keep_result(device.phone.person, device.phone.key, one.number, one.content, conn=conn)
        world.counted["answered"] += 1
    except (psycopg.OperationalError, WedError):
        world.counted["killed"] += 1
    finally:
        kill.join()
        conn.close()


def _kill(kit: Kit, pid: int) -> None:
    other = kit.connect()
    other.execute("select pg_terminate_backend(%s)", [pid])
    other.close()


def discard(world: World) -> None:
    """Discard a result on the device: the site learns it, unless it has it already."""
    device = world.device()
    if device.waiting():
        one = world.draw.choice(device.waiting())
        one.content = {"discarded": True}


def office(world: World) -> None:
    """Have the office write what the technician writes, too."""
    values = {"read": "yes"} | ({"note": "by the office"} if world.draw.random() < 0.5 else {})
    wid = world.instance()
    if any(one.transition == "tr_read" and not one.ended_at
           for one in api.tasks.of_instance(wid, conn=world.kit.conn)):  # fmt: skip
        read_by_clerk(world.kit, wid, **values)


def take_away(world: World) -> None:
    """Give a task to all again, and maybe to another person, who may complete it."""
    if task := world.measuring(world.instance()):
        api.tasks.release(task, "boss", force=True, conn=world.kit.conn)
        if world.draw.random() < 0.6:
            api.tasks.take(task, "eva", TECHNICIAN, conn=world.kit.conn)
            if world.draw.random() < 0.5:
                api.tasks.complete(task, "eva", {"meter": "99"}, conn=world.kit.conn)


def undo(world: World) -> None:
    """Put an instance back to where it began: what was done is to be done again."""
    api.repairs.repair(world.instance(), "branch", {"seq": 1}, "Again.", actor="boss", conn=world.kit.conn)


def suspend(world: World) -> None:
    wid = world.instance()
    if world.kit.status(wid) == "S":
        api.operations.resume(wid, "Go on.", conn=world.kit.conn)
    else:
        api.operations.suspend(wid, "Wait.", conn=world.kit.conn)


def publish(world: World) -> None:
    """Change the definition while packages are out: their instances move to it."""
    world.kit.rows("update {f}.wed_trig set label = %s where trname = 'tr_measure'",
                   [f"Measure {world.draw.random()}"])  # fmt: skip


def withdraw(world: World) -> None:
    state = world.draw.choice("WA")
    api.offline.set_device_state(world.device().phone.id, state, "boss", conn=world.kit.conn)


def skip(world: World) -> None:
    """Let a device go on without what is missing, which arrives later."""
    device = world.device()
    api.offline.skip_results(device.phone.id, "boss", "It is broken.", conn=world.kit.conn)


def give_to_desk(world: World) -> None:
    device = world.device()
    if refused := [one for one in device.outbox if one.answer is not None and one.answer.state == "R"]:
        one = world.draw.choice(refused)
        key = device.phone.key
        one.answer = api.offline.give_result(device.phone.person, key, one.number, conn=world.kit.conn)


def decide(world: World) -> None:
    """Decide on a late result at the desk."""
    wid = world.instance()
    if late := api.repairs.late_results(wid, undecided=True, conn=world.kit.conn):
        verb = world.draw.choice(["merge_late", "discard_late"])
        api.repairs.repair(wid, verb, {"late": late[0].id}, "Seen.", actor="eva", conn=world.kit.conn)


def reap(world: World) -> None:
    """Apply what a process has stored and not applied."""
    for device in world.devices:
        while api.offline.continue_offline(device.phone.id, conn=world.kit.conn):
            pass


ACTIONS: list[Callable[[World], None]] = [
    *[lock] * 6, *[go_offline] * 4, *[perform] * 8, *[send] * 4, *[send_in_disorder] * 3,
    *[send_and_break] * 3, *[office] * 2, *[carry] * 3, *[take_away] * 2, discard, undo, suspend,
    suspend, publish, withdraw, skip, give_to_desk, decide, decide, reap,
]  # fmt: skip
