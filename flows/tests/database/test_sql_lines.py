"""Lines of the kernel's sources are at most as long as those of Python (pyproject.toml)."""

from __future__ import annotations

from flows import kernel

LIMIT = 110


def test_no_line_of_the_kernel_is_too_long() -> None:
    found = [
        f"{path.relative_to(kernel.SQL_DIR.parent)}:{number}"
        for path in kernel.sources()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if len(line) > LIMIT
    ]

    assert found == [], f"wrap these lines at {LIMIT} characters"
