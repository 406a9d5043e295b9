"""`pip install .`: the wheel has all that runs, and its two commands run an installation anywhere."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import load_command_class

from flows import kernel
from testkit.installation import Installation
from wedsql_site import command_line, environment

pytestmark = pytest.mark.slow
DEVELOPMENT = {"bench", "chaos", "testkit", "tests"}  # packages of the checkout that nothing else imports
# What the engine takes from the package of page parts: meanings of SQLSTATEs and names of codes.
SHARED = ("pages/__init__.py", "pages/sqlstates.py", "pages/labels.py", "pages/texts.py")
# Imports each module of flows that is no page, where neither a web server nor the packages of pages exist.
ALONE = """
import importlib, sys
WEB = {"autobahn", "axes", "channels", "daphne", "django_q", "ninja", "otp", "pydantic", "segno", "twisted"}
class NoWeb:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in WEB or name.startswith("django.contrib.admin"):
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, NoWeb())
import django
from django.conf import settings
settings.configure(INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "flows"])
django.setup()
failed = {}
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ImportError as error:
        failed[name] = str(error)
print(failed or "all")
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built by pip without a network."""
    target = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-build-isolation", "--wheel-dir", str(target), str(environment.CHECKOUT))
    (built,) = target.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """An installation from the wheel and its requirements, run in an empty directory."""
    packages, home = tmp_path_factory.mktemp("packages"), tmp_path_factory.mktemp("home")
    pip("install", "--no-index", "--target", str(packages), str(wheel))
    installation = Installation(
        home / "var",
        command=(str(packages / "bin" / "wedsql"),),
        directory=str(home),
        variables={"PYTHONPATH": str(packages), "WEDSQL_STATE_DIR": ""},
    )
    installation.up()
    yield installation
    installation.signal(signal.SIGTERM)
    installation.call("stop")  # the embedded server, too


def pip(verb: str, *arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", verb, "--no-deps"]
    subprocess.run([*command, *arguments], check=True)


def page(site: Installation, path: str, language: str) -> str:
    request = urllib.request.Request(
        f"http://127.0.0.1:{site.port}{path}", headers={"Accept-Language": language}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
        return answer.read().decode()


def test_it_has_every_file_that_runs_and_no_test(wheel: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=environment.CHECKOUT, capture_output=True, text=True, check=True
    ).stdout.split()
    packages = {name.split("/")[0] for name in listed if re.fullmatch(r"\w+/__init__.py", name)} - DEVELOPMENT
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    wanted = {
        name for name in listed
        if name.split("/")[0] in packages
        and "/tests/" not in name and not name.endswith((".po", "/conftest.py"))
    }  # fmt: skip
    data = "wedsql_site/data"
    wanted |= {f"{data}/templates/admin/base_site.html", f"{data}/locale/pt_BR/LC_MESSAGES/django.mo"}
    assert wanted - names == set()
    assert [name for name in names if "/tests/" in name or name.endswith("conftest.py")] == []


def test_the_engine_can_be_imported_without_the_web(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        found = [name for name in archive.namelist() if name.startswith("flows/") or name in SHARED]
        archive.extractall(tmp_path, found)
    modules = [name.removesuffix(".py").replace("/", ".") for name in found if name.endswith(".py")]
    pages = re.compile(r"^pages|^flows[.](admin|designer|templatetags)|[.]middleware$|[.]__init__$|[.]\d")
    wanted = ["flows.api", *(name for name in modules if not pages.search(name))]
    command = [sys.executable, "-c", ALONE, *wanted]
    environ = {**os.environ, "PYTHONPATH": str(tmp_path)}
    result = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True)
    assert len(wanted) > 300
    assert result.stdout.strip() == "all", result.stdout + result.stderr


def test_its_version_is_that_of_the_kernel_and_of_the_last_release_in_the_changes(wheel: Path) -> None:
    changes = (environment.CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = re.findall(r"^## (\d+\.\d+\.\d+)$", changes, re.MULTILINE)
    pages = re.split(r"^## ", changes, flags=re.MULTILINE)[1:]
    assert [page.split("\n")[0] for page in pages if page.count("\n") > 150] == []
    assert wheel.name.split("-")[1] == kernel.VERSION == releases[0]


def test_its_installation_lives_in_the_current_directory(site: Installation) -> None:
    assert (site.state / "log" / "web.log").exists()
    assert site.status()["running"]


def test_its_pages_have_templates_styles_and_portuguese(site: Installation) -> None:
    english = page(site, "/accounts/login/", "en")
    assert "Log in" in english
    assert "Entrar" in page(site, "/accounts/login/", "pt-br")
    style = re.search(r'href="(/static/[^"]+\.css)"', english)
    assert style and "{" in page(site, style[1], "en")


def test_django_commands_need_no_word_before_them(site: Installation) -> None:
    assert "orders" in site.call("flows").stdout
    assert "wedsql" in site.call("help").stdout


def test_the_worker_is_a_command_of_its_own(site: Installation) -> None:
    worker = str(Path(site.command[0]).with_name("wedworker"))
    result = subprocess.run(
        [worker, "--help"], env=site.environ(), cwd=site.directory, capture_output=True, text=True, check=True
    )
    assert "transitions" in result.stdout


def test_every_action_is_known_to_the_command() -> None:
    parser = load_command_class("wedsql_site", "wedsql").create_parser("manage.py", "wedsql")
    (actions,) = [action.choices for action in parser._actions if action.dest == "action"]
    assert actions is not None
    assert sorted(actions) == sorted(command_line.ACTIONS)
