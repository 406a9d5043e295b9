"""Directories, clusters and installations for the tests of the launcher; users for those of log-ins."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from testkit import waiting
from testkit.installation import Installation
from wedsql_site import environment, postgres
from wedsql_site.tests.accounts.log_in import PASSWORD, turn_on

FAILED = pytest.StashKey[bool]()
QUICK = {"fsync": "off"}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Record for the fixtures of a test whether a phase of it failed."""
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed  # type: ignore[attr-defined]
    return report


def new_place() -> Path:
    """Return a directory below that of the run, which the next run deletes if this one is killed."""
    home = Path(tempfile.mkdtemp(prefix="place-", dir=environment.state_dir()))
    home.chmod(0o711)
    return home


@pytest.fixture
def place() -> Iterator[Path]:
    """An empty directory that the server's user can enter; pytest's own tmp_path is private."""
    home = new_place()
    yield home
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def fresh(place: Path) -> Iterator[postgres.Cluster]:
    """A new cluster that was never started."""
    own = postgres.Cluster(place / "postgres", settings=QUICK)
    yield own
    postgres.reset(own)


@pytest.fixture(scope="module")
def cluster() -> Iterator[postgres.Cluster]:
    """One cluster for all tests of a file; each leaves it able to start."""
    home = new_place()
    shared = postgres.Cluster(home / "postgres", settings=QUICK)
    postgres.ensure_running(shared)
    yield shared
    postgres.reset(shared)
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def until() -> Callable[..., None]:
    """`until(condition, what, seconds=60)`: wait for a condition; fail with `what` if it stays false."""

    def wait(condition: Callable[[], object], what: str, seconds: float = 60.0) -> None:
        waiting.until(condition, seconds, f"not true: {what}")

    return wait


@pytest.fixture
def alice(db: None) -> User:
    """A superuser with a password."""
    return User.objects.create_superuser("alice", password=PASSWORD)


@pytest.fixture
def guarded(alice: User) -> User:
    """alice with a second factor and backup codes."""
    turn_on(alice)
    return alice


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """A directory for all tests of a file."""
    directory = new_place()
    yield directory
    shutil.rmtree(directory, ignore_errors=True)


class Shared:
    """The installation without the demo that the tests of a file use one after another."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.made = 0
        self.now: Installation | None = None

    def give(self) -> Installation:
        """Return the current one, or a new one with its own directory after a test that failed."""
        if self.now is None:
            self.made += 1
            self.now = Installation(self.home / f"var{self.made}")
        return self.now

    def take_back(self, failed: bool) -> None:
        if failed and self.now is not None:
            self.now.remove()
            self.now = None


@pytest.fixture(scope="module")
def shared(home: Path) -> Iterator[Shared]:
    one = Shared(home)
    yield one
    one.take_back(failed=True)


@pytest.fixture
def running(shared: Shared, request: pytest.FixtureRequest) -> Iterator[Installation]:
    """The installation as the last test left it, running or not; a new one after a test that failed."""
    yield shared.give()
    shared.take_back(request.node.stash.get(FAILED, False))


@pytest.fixture
def up(running: Installation) -> Installation:
    """The installation, running."""
    if running.supervisor is None or running.supervisor.poll() is not None:
        running.up(WEDSQL_DEMO="0")
    return running


@pytest.fixture
def stopped(running: Installation) -> Installation:
    """The installation, which has run and is stopped."""
    if running.supervisor is None:
        running.up(WEDSQL_DEMO="0")
    running.down()
    return running
