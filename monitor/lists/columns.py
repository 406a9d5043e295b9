"""The columns of lists: what each row has, and attributes of its instance, as `attr.NAME`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.http import HttpRequest
from django.utils.functional import Promise

from flows.access import AnyUser, shown_to
from flows.filters.fields import ATTRIBUTE
from flows.queries.definitions import FlowInfo, flow_by_name
from flows.queries.instances import by_number

Text = str | Promise
MOST = 20
LONGEST = 80


def given(texts: Iterable[str]) -> list[str]:
    """Return the columns that a form or an address names, without what can be none."""
    names = (text.strip().replace("\x00", "") for text in texts)
    return [name for name in dict.fromkeys(names) if 0 < len(name) <= LONGEST][:MOST]


def of_address(request: HttpRequest) -> list[str]:
    """Return the columns of `columns=a,b`, which a form may repeat; none without the parameter."""
    return given(",".join(request.GET.getlist("columns")).split(","))


def chosen(
    wanted: Sequence[str], fixed: Iterable[str], usual: Sequence[str], flow: FlowInfo | None = None
) -> list[str]:
    """Return the columns that are wanted and that there can be, the usual ones where there is none.

    flow: the only flow of the list, whose attributes are known.
    """
    known = set(fixed)
    found = [name for name in wanted if name in known or name.startswith(ATTRIBUTE)]
    if flow is not None:
        found = [name for name in found if name in known or flow.attribute(attribute(name))]
    return found or list(usual)


def attribute(column: str) -> str:
    """Return the attribute that a column shows, "" for what every row has."""
    return column.removeprefix(ATTRIBUTE) if column.startswith(ATTRIBUTE) else ""


def titles(columns: Iterable[str], flows: Iterable[FlowInfo], fixed: Mapping[str, Text]) -> dict[str, Text]:
    """Return the titles of columns; an attribute is that of the first flow that has it, or its name."""
    found = {f"{ATTRIBUTE}{one.name}": one.title for flow in reversed([*flows]) for one in flow.attributes}
    texts = ((name, fixed.get(name) or found.get(name)) for name in columns)
    return {name: str(title or name.removeprefix(ATTRIBUTE)) for name, title in texts}


def offered(
    shown: Sequence[str], fixed: Mapping[str, Text], flow: FlowInfo | None
) -> list[tuple[str, Text, bool]]:
    """Return the columns that a person may choose: their names and titles, and whether they are shown."""
    attributes = [f"{ATTRIBUTE}{one.name}" for one in flow.data] if flow else []
    names = dict.fromkeys([*fixed, *(name for name in shown if attribute(name)), *attributes])
    titled = titles(names, [flow] if flow else [], fixed)
    return [(name, title, name in shown) for name, title in titled.items()]


@dataclass(frozen=True)
class Cells:
    """What a list shows of an instance: its business key, and the type and text of attributes by column."""

    key: str = ""
    values: Mapping[str, tuple[str, str | None]] = field(default_factory=dict)


@dataclass(frozen=True)
class Instances:
    """What a list shows of the instances of its rows, and their flows as the user may see them."""

    cells: Mapping[int, Cells]
    flows: Sequence[FlowInfo]

    def of(self, wid: int | None) -> Cells:
        """Return the cells of an instance, empty ones for what has none."""
        return self.cells.get(wid or 0, Cells())


def read(
    user: AnyUser, found: Iterable[tuple[str, int]], columns: Sequence[str], known: FlowInfo | None = None
) -> Instances:
    """Return the cells of instances, given as flow and number, which are read once for each flow.

    known: a flow as the user may see it, which is not read again.
    """
    wids: dict[str, list[int]] = defaultdict(list)
    for name, wid in found:
        wids[name].append(wid)
    flows = {}
    for name in wids:
        if known is not None and known.name == name:
            flows[name] = known
        elif info := flow_by_name(name):
            flows[name] = shown_to(user, info)
    cells = [_of_flow(info, wids[name], columns) for name, info in flows.items()]
    return Instances({wid: one for each in cells for wid, one in each.items()}, [*flows.values()])


def _of_flow(flow: FlowInfo, wids: Sequence[int], columns: Sequence[str]) -> dict[int, Cells]:
    known = {name: one for name in columns if (one := flow.attribute(name.removeprefix(ATTRIBUTE)))}
    found = by_number(flow, wids, tuple(known.values()))
    return {
        wid: Cells(each.named, {
            name: (one.type, text) for (name, one), text in zip(known.items(), each.cells, strict=True)
        })
        for wid, each in found.items()
    }  # fmt: skip
