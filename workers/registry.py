"""Which function performs which transition.

A handler is a plain function `(state, ctx) -> changes`. It names the transition it performs and,
where two flows use one name for different work, the flow as well; the more exact entry wins.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from workers.context import Context

Changes: TypeAlias = Mapping[str, Any] | str | None
Handler: TypeAlias = "Callable[[Mapping[str, Any], Context], Changes]"
Mode: TypeAlias = Literal["auto", "transaction", "lease"]
MODES: tuple[Mode, ...] = ("auto", "transaction", "lease")


class RegistryError(Exception):
    """This function cannot be registered as a transition."""


class DuplicateTransition(RegistryError):
    """The transition already has a handler for this flow."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A handler with its options; `flow` None serves every flow that has the transition."""

    transition: str
    handler: Handler
    flow: str | None = None
    mode: Mode = "auto"
    batch: int | None = None

    @property
    def origin(self) -> str:
        """Where the handler is written, for messages: module.qualname."""
        return f"{self.handler.__module__}.{self.handler.__qualname__}"


class Registry:
    """The handlers known to one process."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str | None, str], Entry] = {}

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, entry: Entry) -> None:
        """Register a handler; RegistryError says what is wrong with it, or who was first."""
        _check(entry)
        known = self._entries.get((entry.flow, entry.transition))
        if known is not None and known.handler is not entry.handler:
            where = f"in flow {entry.flow!r}" if entry.flow else "in any flow"
            raise DuplicateTransition(
                f"{entry.transition!r} {where} is already performed by {known.origin}; "
                f"{entry.origin} was refused (name a flow= to keep both)."
            )
        self._entries[(entry.flow, entry.transition)] = entry

    def find(self, flow: str, transition: str) -> Entry | None:
        """The handler of this transition in this flow, or None."""
        return self._entries.get((flow, transition)) or self._entries.get((None, transition))

    def served(self, known: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
        """The subset of the (flow, transition) pairs given that has a handler, by flow."""
        found: dict[str, list[str]] = {}
        for flow, name in known:
            if self.find(flow, name) is not None:
                found.setdefault(flow, []).append(name)
        return {flow: sorted(set(names)) for flow, names in sorted(found.items())}

    def transition(
        self, name: str, *, flow: str | None = None, mode: Mode = "auto", batch: int | None = None
    ) -> Callable[[Handler], Handler]:
        """Decorate the function that performs transition `name`.

        flow: a flow's name, or None for every flow with such a transition. mode: "auto" follows the
        trigger; "transaction" or "lease" insists. batch: how many of its jobs may share one commit
        (None: as many as the runner likes; 1: a slow or delicate one, always alone).
        """

        def register(handler: Handler) -> Handler:
            self.add(Entry(name, handler, flow, mode, batch))
            return handler

        return register


def _check(entry: Entry) -> None:
    if not isinstance(entry.transition, str) or not entry.transition.strip():
        raise RegistryError('Say which transition the function performs: @transition("tr_name").')
    if entry.transition.startswith("_"):
        raise RegistryError(f"{entry.transition!r}: names that begin with _ belong to the kernel.")
    if not callable(entry.handler):
        raise RegistryError(f"{entry.transition!r}: {entry.handler!r} is not a function.")
    if entry.mode not in MODES:
        raise RegistryError(f"{entry.transition!r}: mode is one of {', '.join(MODES)}, not {entry.mode!r}.")
    if entry.batch is not None and entry.batch < 1:
        raise RegistryError(f"{entry.transition!r}: batch is at least 1.")
    if inspect.iscoroutinefunction(entry.handler) or inspect.isgeneratorfunction(entry.handler):
        raise RegistryError(f"{entry.transition!r}: a handler is a plain function, not async or a generator.")
    _check_signature(entry)


def _check_signature(entry: Entry) -> None:
    try:
        inspect.signature(entry.handler).bind(None, None)
    except TypeError as error:
        raise RegistryError(f"{entry.transition!r}: a handler takes (state, ctx): {error}.") from None


registry = Registry()
transition = registry.transition


def autodiscover() -> Registry:
    """Import `transitions.py` of every installed app once, and give the process's registry."""
    from django.utils.module_loading import autodiscover_modules

    autodiscover_modules("transitions")
    return registry
