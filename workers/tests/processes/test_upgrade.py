"""The kernel is installed again while workers work: nothing is lost, and no job loses an attempt."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import connection, transaction

from flows import kernel
from flows.errors import TryAgain
from workers.client.results import is_transient
from workers.tests.conftest import Shop

INSTALLS = 4


@pytest.fixture
def upgrades(django_db_blocker: Any) -> Iterator[threading.Thread]:
    """A thread that installs the kernel a few times, as `migrate` does for a new version."""
    failures: list[BaseException] = []

    def install() -> None:
        try:
            for _ in range(INSTALLS):
                kernel.install(connection)
        except BaseException as error:  # noqa: BLE001  # reported by the fixture
            failures.append(error)
        finally:
            connection.close()

    with django_db_blocker.unblock():
        thread = threading.Thread(target=install)
        yield thread
        thread.join()
    assert failures == []


@pytest.mark.parametrize("size", [1, 10])
def test_an_upgrade_under_load_costs_no_attempt(shop: Shop, upgrades: threading.Thread, size: int) -> None:
    runs: list[int] = []
    # Results wait for an installation, which takes longer than the timeout of this flow on a busy machine.
    shop.db.execute(f"update \"{shop.flow}\".wed_trig set timeout = '1 hour' where trname = 'tr_one'")
    shop.on("tr_one", lambda state, ctx: (runs.append(ctx.wid), {"a": "done"})[1])
    wids: list[int] = []
    upgrades.start()
    while upgrades.is_alive():
        try:
            wids += shop.start(20)
            shop.drain(size)
        except TryAgain:  # the error that a page shows when an instance is started
            continue
        except psycopg.Error as error:  # a service makes the next call as after any error of the database
            assert is_transient(error), error
            shop.runner.undo()
    shop.finish(wids, size)
    assert Counter(shop.status(wid) for wid in wids) == {"F": len(wids)}
    assert [shop.log(wid) for wid in wids if shop.log(wid)] == []


def test_inside_a_migration_the_installer_waits_too(shop: Shop, django_db_blocker: Any) -> None:
    shop.db.execute("begin; lock table wedsql.job_pool in row exclusive mode")
    leaving = threading.Timer(1.0, shop.db.execute, ("rollback",))
    with django_db_blocker.unblock(), transaction.atomic():
        leaving.start()
        kernel.install(connection)
        assert kernel.status(connection).state == "INSTALLED"
    leaving.join()
