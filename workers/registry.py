"""The registry: which function performs which transition.

A handler is a plain function `(state, ctx) -> changes`. It is registered for a transition and, where
two flows use one name for different work, for a flow; an entry with a flow wins.
"""

from __future__ import annotations

import contextlib
import inspect
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from workers.context import Context

Changes: TypeAlias = Mapping[str, Any] | str | None
Handler: TypeAlias = "Callable[[Mapping[str, Any], Context], Changes]"
# What a trial takes instead of the handler's result: one result, or the possible ones, the usual first.
StandIn: TypeAlias = Callable[[Mapping[str, Any]], Mapping[str, Any] | Sequence[Mapping[str, Any]]]
Mode: TypeAlias = Literal["auto", "transaction", "lease"]
MODES: tuple[Mode, ...] = ("auto", "transaction", "lease")


class RegistryError(Exception):
    """The function cannot be registered as a transition."""


class DuplicateTransition(RegistryError):
    """The transition already has a handler for this flow."""

    def __init__(self, message: str, key: tuple[str | None, str]) -> None:
        super().__init__(message)
        self.key = key


@dataclass(frozen=True, slots=True)
class Problem:
    """Why handlers are not served: the place, and the error."""

    source: str
    text: str

    def __str__(self) -> str:
        return f"{self.source}: {self.text}"


@dataclass(frozen=True, slots=True)
class Entry:
    """A handler with its options; `flow` None serves every flow that has the transition."""

    transition: str
    handler: Handler
    flow: str | None = None
    mode: Mode = "auto"
    batch: int | None = None
    simulate: StandIn | None = None

    @property
    def origin(self) -> str:
        """Where the handler is defined, for messages: module.qualname."""
        return _origin(self.handler)

    @property
    def place(self) -> str:
        """Where its code is, for people: the file, from its outermost package on, and the line."""
        function = inspect.unwrap(self.handler)
        code = getattr(function, "__code__", None)
        if code is None:
            return self.origin
        # Without the folders of the installation, which are no business of those who read a page.
        packages = str(getattr(function, "__module__", "")).count(".")
        return f"{'/'.join(Path(code.co_filename).parts[-packages - 1 :])}:{code.co_firstlineno}"


class Registry:
    """The handlers of one process."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str | None, str], Entry] = {}
        self._disputed: set[tuple[str | None, str]] = set()
        self._collects = False
        self.problems: list[Problem] = []

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, entry: Entry) -> None:
        """Register a handler. Raises RegistryError, DuplicateTransition if another has the transition."""
        _check(entry)
        key = entry.flow, entry.transition
        known = self._entries.get(key)
        where = f"{entry.transition!r} {f'in flow {entry.flow!r}' if entry.flow else 'in any flow'}"
        if key in self._disputed:
            raise DuplicateTransition(f"{where} has more than one handler; {entry.origin} is another.", key)
        if known is not None and known.handler is not entry.handler:
            raise DuplicateTransition(
                f"{where} is already performed by {known.origin}; "
                f"{entry.origin} was refused (name a flow= to keep both).",
                key,
            )
        self._entries[key] = entry

    def find(self, flow: str, transition: str) -> Entry | None:
        """Return the handler of this transition in this flow, or None."""
        return self._entries.get((flow, transition)) or self._entries.get((None, transition))

    def stand_in(self, flow: str, transition: str) -> StandIn | None:
        """Return the declared stand-in of this transition's handler in this flow, or None."""
        entry = self.find(flow, transition)
        return entry.simulate if entry else None

    def served(self, known: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
        """Return those of the (flow, transition) pairs that have a handler, by flow."""
        found: dict[str, list[str]] = {}
        for flow, name in known:
            if self.find(flow, name) is not None:
                found.setdefault(flow, []).append(name)
        return {flow: sorted(set(names)) for flow, names in sorted(found.items())}

    def transition(
        self,
        name: str,
        *,
        flow: str | None = None,
        mode: Mode = "auto",
        batch: int | None = None,
        simulate: StandIn | None = None,
    ) -> Callable[[Handler], Handler]:
        """Decorate the function that performs transition `name`.

        flow: a flow's name, or None for every flow with such a transition. mode: "auto" follows the
        trigger; "transaction" or "lease" overrides it. batch: how many of its jobs may share one commit
        (None: the runner decides; 1: each alone, for slow or delicate work). simulate: a function of the
        state that returns what trials and scenarios take as the result, or a list of possible results.
        """
        if callable(name):
            self._refuse(name, RegistryError(f'{_origin(name)}: write @transition("tr_name") above it.'))
            return name

        def register(handler: Handler) -> Handler:
            try:
                self.add(Entry(name, handler, flow, mode, batch, simulate))
            except RegistryError as error:
                self._refuse(handler, error)
            return handler

        return register

    @contextlib.contextmanager
    def collecting(self, source: str) -> Iterator[None]:
        """Register what a module registers, or nothing of it if it raises; errors become problems.

        An error does not affect other handlers. A transition that two functions register has no handler.
        """
        before = dict(self._entries)
        self._collects = True
        try:
            yield
        except (Exception, SystemExit) as error:  # noqa: BLE001  # a module may raise anything
            self._entries = before
            self.problems.append(Problem(source, "".join(traceback.format_exception(error)).strip()))
        finally:
            self._collects = False

    def _refuse(self, handler: object, error: RegistryError) -> None:
        if not self._collects:
            raise error
        if isinstance(error, DuplicateTransition):
            self._entries.pop(error.key, None)
            self._disputed.add(error.key)
        self.problems.append(Problem(_place(handler), str(error)))


def _origin(handler: object) -> str:
    module, name = getattr(handler, "__module__", "?"), getattr(handler, "__qualname__", None)
    return f"{module}.{name or repr(handler)}"


def _place(handler: object) -> str:
    code = getattr(inspect.unwrap(handler), "__code__", None) if callable(handler) else None
    return f"{code.co_filename}:{code.co_firstlineno}" if code is not None else _origin(handler)


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
    _check_signature(entry, "a handler takes (state, ctx)", entry.handler, 2)
    if entry.simulate is not None:
        _check_stand_in(entry, entry.simulate)


def _check_stand_in(entry: Entry, simulate: object) -> None:
    if not callable(simulate) or inspect.iscoroutinefunction(simulate):
        raise RegistryError(f"{entry.transition!r}: simulate is a plain function, not {simulate!r}.")
    _check_signature(entry, "the function of simulate takes (state)", simulate, 1)


def _check_signature(entry: Entry, wanted: str, function: Callable[..., Any], arguments: int) -> None:
    try:
        inspect.signature(function).bind(*[None] * arguments)
    except TypeError as error:
        raise RegistryError(f"{entry.transition!r}: {wanted}: {error}.") from None


registry = Registry()
transition = registry.transition
