"""The imports between packages: a package never depends on a higher one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.imports import Import, imports, modules

# Each package of the product and the others that it may import. Packages not listed here are above all.
PACKAGES: Mapping[str, frozenset[str]] = {
    "BaseWorker": frozenset(),
    "pages": frozenset(),
    "flows": frozenset({"pages"}),
    "workers": frozenset({"BaseWorker", "flows"}),
    "monitor": frozenset({"flows", "pages"}),
    "wedsql_site": frozenset({"flows", "monitor", "pages", "workers"}),
}
# The modules of flows that offer what capabilities define, and what each capability uses of others.
FACADES = (
    "flows.api",
    "flows.engine.checks",
    "flows.engine.definitions",
    "flows.errors",
    "flows.management.commands",
)
CAPABILITIES: Mapping[str, frozenset[str]] = {
    "alerts": frozenset(),
    "approvals": frozenset({"bulk", "recovery"}),
    "bulk": frozenset({"recovery"}),
    "cases": frozenset(),
    "children": frozenset(),
    "conditions": frozenset(),
    "controls": frozenset(),
    "drafts": frozenset(),
    "filters": frozenset(),
    "figures": frozenset(),
    "keys": frozenset(),
    "looks": frozenset(),
    "moves": frozenset({"alerts", "approvals"}),
    "offline": frozenset({"cases", "tasks"}),
    "past": frozenset(),
    "reasons": frozenset(),
    "recovery": frozenset({"cases", "drafts"}),
    "signals": frozenset(),
    "sla": frozenset(),
    "tasks": frozenset({"cases"}),
    "trials": frozenset({"drafts"}),
    "webhooks": frozenset({"alerts"}),
}
# The parts of workers from the lowest to the highest; its own modules, which handlers import, come first.
PARTS = ("", "client", "recovery", "jobs", "process", "djangoq", "alerts", "reaper")


def layer(module: str) -> str:
    """Return the package of a module; tests, wherever they are, count as one layer above all packages."""
    parts = module.split(".")
    return "tests" if {"tests", "conftest"} & set(parts) else parts[0]


def part(module: str) -> str:
    """Return the part of workers that a module belongs to, '' for its own modules."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in (*PARTS, "demo", "management", "tests") else ""


def upward(found: Iterable[Import]) -> list[str]:
    """Return the imports from another package that the importing one may not use."""
    return sorted(
        f"{one.importer} -> {one.imported}"
        for one in found
        if layer(one.importer) in PACKAGES
        and layer(one.imported) not in {layer(one.importer), *PACKAGES[layer(one.importer)]}
    )


def upward_in_workers(found: Iterable[Import]) -> list[str]:
    """Return the imports of a higher part of workers by a lower one that are executed at run time."""
    return sorted(
        f"{one.importer} -> {one.imported}"
        for one in found
        if one.at_run_time and layer(one.importer) == layer(one.imported) == "workers"
        if part(one.importer) in PARTS
        and part(one.imported) not in PARTS[: PARTS.index(part(one.importer)) + 1]
    )


def capability(module: str) -> str:
    """Return the capability that a module belongs to, '' for none."""
    parts = module.split(".")
    own = parts[:2] == ["flows", "capabilities"] and len(parts) > 2
    return parts[2] if own and parts[2] != "conftest" else ""  # the fixtures are those of all


def of_capabilities(found: Iterable[Import]) -> list[str]:
    """Return the imports of a capability by the rest of flows, except its facades, and by another one."""
    return sorted(
        f"{one.importer} -> {one.imported}"
        for one in found
        if layer(one.importer) == "flows" and capability(one.imported)
        if not one.importer.startswith(FACADES)
        if capability(one.imported)
        not in {capability(one.importer), *CAPABILITIES.get(capability(one.importer), ())}
    )


def cycle(found: Iterable[Import]) -> list[str]:
    """Return the modules of one cycle of run-time imports; [] when there is none."""
    graph: dict[str, set[str]] = {}
    for one in found:
        if one.at_run_time:
            graph.setdefault(one.importer, set()).add(one.imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


@pytest.fixture(scope="module")
def every() -> list[Import]:
    """The imports of all modules, which are read once."""
    return list(imports(modules()))


def test_every_package_imports_only_those_below_it(every: list[Import]) -> None:
    assert {layer(one.importer) for one in every} >= set(PACKAGES) - {"pages"}, "the sources were read"
    assert upward(every) == []


def test_every_part_of_workers_imports_only_those_below_it(every: list[Import]) -> None:
    assert upward_in_workers(every) == []


def test_the_rest_of_flows_imports_no_capability(every: list[Import]) -> None:
    assert {capability(one.importer) for one in every} - {""} == set(CAPABILITIES)
    assert of_capabilities(every) == []


def test_no_modules_import_each_other_in_a_cycle(every: list[Import]) -> None:
    assert cycle(every) == []


@pytest.mark.parametrize(
    ("module", "text", "seen"),
    [
        ("flows.new", "from workers import registry", "flows.new -> workers.registry"),
        ("flows.new", "def late():\n    import monitor.metrics.usage", "flows.new -> monitor.metrics.usage"),
        ("pages.new", "from flows.api import start", "pages.new -> flows.api"),
        ("workers.new", "from monitor.metrics.usage import usage", "workers.new -> monitor.metrics.usage"),
        ("BaseWorker.new", "import flows.errors", "BaseWorker.new -> flows.errors"),
        ("monitor.new", "from tests.imports import modules", "monitor.new -> tests.imports"),
        ("flows.new", "from flows.tests.kit import Kit", "flows.new -> flows.tests.kit"),
        ("wedsql_site.new", "from chaos import system", "wedsql_site.new -> chaos.system"),
    ],
)
def test_an_import_of_a_higher_package_is_found(tmp_path: Path, module: str, text: str, seen: str) -> None:
    assert upward(_with(tmp_path, {module: text})) == [seen]


def test_an_import_of_a_higher_part_of_workers_is_found(tmp_path: Path) -> None:
    new = {"workers.client.new": "from workers.jobs.runner import Runner"}
    assert upward_in_workers(_with(tmp_path, new)) == ["workers.client.new -> workers.jobs.runner"]


@pytest.mark.parametrize(
    ("module", "seen"),
    [
        ("flows.new", ["flows.new -> flows.capabilities.webhooks.api"]),
        ("flows.capabilities.new.api", ["flows.capabilities.new.api -> flows.capabilities.webhooks.api"]),
        ("flows.capabilities.webhooks.new", []),
        ("flows.management.commands.new", []),
        ("monitor.new", []),
    ],
)
def test_an_import_of_a_capability_is_found(tmp_path: Path, module: str, seen: list[str]) -> None:
    new = {module: "from flows.capabilities.webhooks.api import Webhook"}
    assert of_capabilities(_with(tmp_path, new)) == seen


def test_a_cycle_is_found_also_through_a_function(tmp_path: Path) -> None:
    new = {"a": "import b", "b": "from c import x", "c": "def late():\n    import a"}
    assert set(cycle(_with(tmp_path, new))) == {"a", "b", "c"}


def test_an_import_for_types_alone_makes_no_cycle(tmp_path: Path) -> None:
    typed = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from a import X"
    assert cycle(_with(tmp_path, {"a": "import b", "b": typed})) == []


def _with(folder: Path, texts: Mapping[str, str]) -> list[Import]:
    """Return the imports of these new modules among the modules of the project."""
    written = {}
    for name, text in texts.items():
        written[name] = folder / f"{name}.py"
        written[name].write_text(text)
    return list(imports(modules() | written, written))
