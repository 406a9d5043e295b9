"""The lock files have every package of requirements*.txt with version and hashes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings

CHECKOUT = Path(settings.BASE_DIR)


def pins(text: str) -> dict[str, str]:
    """Return name and version of each pinned package; names as package indexes compare them."""
    found = re.findall(r"^([\w.-]+)(?:\[[^\]]*\])?==([^\s;\\]+)", text, re.MULTILINE)
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in found}


@pytest.mark.parametrize("name", ["requirements", "requirements-dev"])
def test_the_lock_has_every_requirement(name: str) -> None:
    asked = pins((CHECKOUT / f"{name}.txt").read_text())
    locked = pins((CHECKOUT / f"{name}.lock").read_text())
    assert {package: locked.get(package) for package in asked} == asked, "run: make lock"


@pytest.mark.parametrize("name", ["requirements", "requirements-dev"])
def test_every_locked_package_has_a_hash(name: str) -> None:
    blocks = re.split(r"^(?=[A-Za-z0-9])", (CHECKOUT / f"{name}.lock").read_text(), flags=re.MULTILINE)
    packages = [block for block in blocks if re.match(r"[\w.-]+(\[[^\]]*\])?==", block)]
    assert len(packages) > 20
    assert [block.splitlines()[0] for block in packages if "--hash=sha256:" not in block] == []


def test_both_locks_agree() -> None:
    run, dev = (
        pins((CHECKOUT / f"{name}.lock").read_text()) for name in ("requirements", "requirements-dev")
    )
    assert {package: dev.get(package) for package in run} == run
