"""The patches of Django-Q2 are for one version, and a change of the pin requires a new review."""

from __future__ import annotations

import hashlib
import inspect
import re
from importlib.metadata import version
from pathlib import Path

import pytest

from workers.djangoq.patches import PATCHES, VERSION, Patch

ROOT = Path(__file__).resolve().parents[3]
PINS = ("requirements.txt", "requirements.lock", "requirements-dev.lock")


@pytest.mark.parametrize("name", PINS)
def test_the_pinned_version_is_the_one_that_was_patched(name: str) -> None:
    pinned = re.findall(r"^django-q2==(\S+)", (ROOT / name).read_text(), re.MULTILINE)
    assert pinned == [VERSION], "read every function in workers/djangoq/patches.py again"


def test_the_installed_version_is_the_one_that_was_patched() -> None:
    assert version("django-q2") == VERSION


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.upstream.__qualname__)
def test_what_is_patched_is_what_was_read(patch: Patch) -> None:
    source = inspect.getsource(patch.upstream)
    assert patch.upstream.__module__.startswith("django_q.")
    assert hashlib.sha256(source.encode()).hexdigest()[:12] == patch.digest, f"{patch.fault}: is it still so?"
