"""What `python -m chaos.mutate` changes in the kernel, and what must notice it."""

from __future__ import annotations

from dataclasses import dataclass

from chaos.guarded import Check


@dataclass(frozen=True)
class Change:
    """`old` becomes `new` in the source of these functions, or `statement` is run."""

    functions: tuple[str, ...] = ()
    old: str = ""
    new: str = ""
    statement: str = ""


@dataclass(frozen=True)
class Mutation:
    """A guard taken away by a change, and the check that speaks of it."""

    guard: str
    check: Check
    functions: tuple[str, ...] = ()
    old: str = ""
    new: str = ""
    statement: str = ""

    @property
    def change(self) -> Change:
        """Return what takes the guard away."""
        return Change(self.functions, self.old, self.new, self.statement)
