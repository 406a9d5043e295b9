"""The directories of an installation; needs neither Django nor a database."""

from __future__ import annotations

from pathlib import Path

# The directory with the packages: a checkout, or site-packages.
SOURCE = Path(__file__).resolve().parent.parent
CHECKOUT = SOURCE if (SOURCE / "manage.py").exists() else None


def directory() -> Path:
    """Return the default directory of state and flow migrations.

    It is the checkout, or the current directory if the packages were installed from a wheel.
    """
    return CHECKOUT or Path.cwd()
