"""Which handlers are accepted, which are rejected, and which handler performs which transition."""

from __future__ import annotations

from typing import Any

import pytest

from workers.jobs.plans import Known, plans, serves
from workers.registry import DuplicateTransition, Entry, Registry, RegistryError


def noop(state: Any, ctx: Any) -> None:
    return None


def other(state: Any, ctx: Any) -> None:
    return None


def test_a_decorated_function_stays_itself_and_is_found() -> None:
    registry = Registry()
    assert registry.transition("tr_a")(noop) is noop
    found = registry.find("any", "tr_a")
    assert found is not None and found.handler is noop
    assert registry.find("any", "tr_b") is None


def test_a_second_handler_is_rejected_and_both_are_named() -> None:
    registry = Registry()
    registry.add(Entry("tr_a", noop))
    with pytest.raises(DuplicateTransition) as caught:
        registry.add(Entry("tr_a", other))
    assert "noop" in str(caught.value) and "other" in str(caught.value)
    assert registry.find("f", "tr_a") == Entry("tr_a", noop)


def test_the_same_handler_twice_is_no_second_one() -> None:
    registry = Registry()
    registry.add(Entry("tr_a", noop))
    registry.add(Entry("tr_a", noop))
    assert len(registry) == 1


def test_a_handler_of_the_flow_precedes_the_general_one() -> None:
    registry = Registry()
    registry.add(Entry("tr_a", noop))
    registry.add(Entry("tr_a", other, flow="special"))
    assert registry.find("special", "tr_a") == Entry("tr_a", other, flow="special")
    assert registry.find("usual", "tr_a") == Entry("tr_a", noop)


async def asynchronous(state: Any, ctx: Any) -> None:
    return None


def generator(state: Any, ctx: Any) -> Any:
    yield state


def too_few(state: Any) -> None:
    return None


@pytest.mark.parametrize(
    ("entry", "expected_text"),
    [
        (Entry("", noop), "Say which transition"),
        (Entry("   ", noop), "Say which transition"),
        (Entry(None, noop), "Say which transition"),  # type: ignore[arg-type]
        (Entry("_FINAL", noop), "belong to the kernel"),
        (Entry("tr_a", "text"), "not a function"),  # type: ignore[arg-type]
        (Entry("tr_a", asynchronous), "not async"),  # type: ignore[arg-type]
        (Entry("tr_a", generator), "not async or a generator"),
        (Entry("tr_a", too_few), "takes (state, ctx)"),  # type: ignore[arg-type]
        (Entry("tr_a", noop, mode="fast"), "mode is one of"),  # type: ignore[arg-type]
        (Entry("tr_a", noop, batch=0), "at least 1"),
    ],
)
def test_an_invalid_handler_is_rejected_with_the_reason(entry: Entry, expected_text: str) -> None:
    with pytest.raises(RegistryError) as caught:
        Registry().add(entry)
    assert expected_text in str(caught.value)


def planned(*known: Known, size: int = 50, **options: Any) -> list[tuple[str, tuple[str, ...], int, Any]]:
    registry = Registry()
    for one in known:
        registry.add(Entry(one.transition, noop, flow=one.flow, **options))
    return [(p.flow, p.names, p.size, p.lease) for p in plans(known, registry, size)]


def test_short_jobs_of_a_flow_are_taken_together_and_long_ones_leased() -> None:
    known = [Known("f", "tr_a", timeout=30.0), Known("f", "tr_b"), Known("f", "tr_c", timeout=3600.0)]
    assert planned(*known) == [("f", ("tr_a", "tr_b"), 50, None), ("f", ("tr_c",), 50, 60.0)]


def test_the_trigger_and_then_the_handler_decide_the_mode() -> None:
    assert planned(Known("f", "tr_a", lease=True, timeout=10.0)) == [("f", ("tr_a",), 50, 10.0)]
    assert planned(Known("f", "tr_a", transaction=True, timeout=3600.0)) == [("f", ("tr_a",), 50, None)]
    assert planned(Known("f", "tr_a", timeout=3600.0), mode="transaction") == [("f", ("tr_a",), 50, None)]
    assert planned(Known("f", "tr_a"), mode="lease") == [("f", ("tr_a",), 50, 60.0)]


def test_the_batch_limit_of_a_handler_holds() -> None:
    assert planned(Known("f", "tr_a"), batch=1) == [("f", ("tr_a",), 1, None)]
    assert planned(Known("f", "tr_a"), batch=500) == [("f", ("tr_a",), 50, None)]


def test_other_flows_and_names_without_handlers_are_left_out() -> None:
    registry = Registry()
    registry.add(Entry("tr_a", noop))
    found = plans([Known("f", "tr_a"), Known("g", "tr_a"), Known("f", "tr_x")], registry, 1, ["f"])
    assert serves(found) == ["f:tr_a"]
