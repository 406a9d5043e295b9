"""Directories of the embedded PostgreSQL, and the users that can run it."""

from __future__ import annotations

import os
import pwd
import shutil
import traceback
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from wedsql_site import postgres
from wedsql_site.postgres import account, binaries, cluster, process
from wedsql_site.tests.conftest import QUICK

pytestmark = pytest.mark.slow
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")


def as_ordinary_user(action: Callable[[], None]) -> None:
    """Run `action` in a fork as the user `nobody`; fail with its traceback."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            entry = pwd.getpwnam("nobody")
            os.setgroups([])
            os.setgid(entry.pw_gid)
            os.setuid(entry.pw_uid)
            action()
            code = 0
        except BaseException:  # noqa: BLE001 - the parent reports it, and this fork must not run pytest's end
            os.write(writer, traceback.format_exc()[-4000:].encode())
        finally:
            os._exit(code)
    os.close(writer)
    _pid, status = os.waitpid(child, 0)
    with os.fdopen(reader) as pipe:
        output = pipe.read()
    assert status == 0, output


@needs_root
def test_runs_as_an_ordinary_user(place: Path) -> None:
    entry = pwd.getpwnam("nobody")
    os.chown(place, entry.pw_uid, entry.pw_gid)
    # A copy for the user: the tests' environment may be in a directory that only root can enter.
    own = postgres.Cluster(place / "postgres", _copy_programs(place / "site"), QUICK)

    def live() -> None:
        postgres.ensure_running(own)
        pid = process.postmaster(own)
        assert pid is not None and Path(f"/proc/{pid}").stat().st_uid == entry.pw_uid
        with psycopg.connect(own.dsn()) as connection:
            assert connection.execute("select current_user").fetchone() == ("wed",)
        postgres.stop(own)
        postgres.ensure_running(own)
        postgres.reset(own)

    as_ordinary_user(live)


@needs_root
def test_programs_below_a_private_home_are_copied_out(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries, "SHARED_HOME", place / "shared")
    private = place / "private"
    programs = _copy_programs(private / "site")
    private.chmod(0o700)
    own = postgres.Cluster(place / "postgres", programs, QUICK)
    try:
        postgres.ensure_running(own)
        pid = process.postmaster(own)
        running = Path(os.readlink(f"/proc/{pid}/exe"))
        assert running.is_relative_to(place / "shared")
        assert private.stat().st_mode & 0o777 == 0o700
        again = binaries.reachable(programs, account.current())
        assert running.parent == again
    finally:
        postgres.reset(own)


@needs_root
def test_a_checkout_below_a_private_home_keeps_its_data_elsewhere(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(binaries, "SHARED_HOME", place / "shared")
    private = place / "private"
    private.mkdir(mode=0o700)
    state = private / "checkout" / "var"
    own = postgres.Cluster(cluster.home_in(state), settings=QUICK)
    assert own.home.is_relative_to(place / "shared")
    assert own.home != cluster.home_in(private / "other" / "var")
    try:
        postgres.ensure_running(own)
        assert private.stat().st_mode & 0o777 == 0o700
    finally:
        postgres.reset(own)


def test_a_long_path_gets_a_short_socket(place: Path) -> None:
    own = postgres.Cluster(place / ("long-" * 20) / "postgres", settings=QUICK)
    assert len(str(own.socket)) < 40 < len(str(own.home))
    try:
        postgres.ensure_running(own)
        assert postgres.is_running(own)
    finally:
        postgres.reset(own)
    assert not own.socket.exists()


@needs_root
def test_a_socket_directory_of_another_user_is_rejected(place: Path) -> None:
    own = postgres.Cluster(place / ("long-" * 20) / "postgres", settings=QUICK)
    own.socket.mkdir()
    try:
        os.chown(own.socket, 65534, 65534)
        with pytest.raises(postgres.PostgresError, match="belongs to another user"):
            postgres.ensure_running(own)
    finally:
        postgres.reset(own)


def test_programs_can_be_named(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = binaries.find()
    monkeypatch.setenv("WED_PG_BIN", str(wheel))
    assert binaries.find() == wheel
    monkeypatch.setenv("WED_PG_BIN", str(place))
    with pytest.raises(postgres.PostgresError, match="holds no initdb"):
        binaries.find()


def test_programs_that_do_not_run_are_reported(place: Path) -> None:
    (place / "postgres").write_text("#!/bin/sh\necho broken >&2; exit 1\n")
    (place / "postgres").chmod(0o755)
    with pytest.raises(postgres.PostgresError, match="broken"):
        binaries.major(place, account.current())


def test_a_version_that_is_too_old_is_rejected(place: Path) -> None:
    (place / "postgres").write_text("#!/bin/sh\necho 'postgres (PostgreSQL) 13.4'\n")
    (place / "postgres").chmod(0o755)
    with pytest.raises(postgres.PostgresError, match="14 or newer"):
        binaries.major(place, account.current())


def _copy_programs(site: Path) -> Path:
    """Copy the wheel's programs to another site directory, with the names that its libraries expect."""
    source = binaries.find().parent
    target = site / source.parent.name / source.name
    shutil.copytree(source, target, symlinks=True)
    libraries = source.parent.with_name(f"{source.parent.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, site / libraries.name, symlinks=True)
    return target / "bin"
