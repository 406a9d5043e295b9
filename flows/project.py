"""Where the files of an installation are; needs neither Django nor a database."""

from __future__ import annotations

from pathlib import Path

# The directory with the packages: a checkout, or site-packages.
SOURCE = Path(__file__).resolve().parent.parent
CHECKOUT = SOURCE if (SOURCE / "manage.py").exists() else None


def directory() -> Path:
    """Return where state and flow migrations are kept unless a variable names another place.

    It is the checkout, or the current directory where the packages were installed from a wheel.
    """
    return CHECKOUT or Path.cwd()
