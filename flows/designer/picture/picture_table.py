"""The picture of a flow as a table, for screen readers and for browsers without scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from flows.code_places import code_place
from flows.designer.picture.drawings import name
from flows.queries.counts import NONE, Count
from flows.queries.definitions import FlowInfo
from flows.queries.graph import Edge, Graph, Node
from flows.queries.rule_groups import RuleGroup
from pages.templatetags.wed import number

# A row lists so many rules that followed, and so many that never did; of the others it has the number.
LISTED, LISTED_OF_LARGE = (8, 8), (4, 1)
NBSP = "\N{NO-BREAK SPACE}"
# The instances behind the nodes that are no rules, as the list of instances chooses them.
_STATUS = {"start": "", "final": "?status=F", "exception": "?status=E"}


@dataclass(frozen=True)
class Row:
    """One node: its name, the place of its code, its instances, and what followed from it.

    `instances` is the address of their list, or of the list of the rule's pending jobs; `now` is the text of
    the link.
    """

    node: Node
    name: str
    code: str
    instances: str
    now: str
    following: SafeString


@dataclass(frozen=True)
class Section:
    """The rows of a group; the title is "" where the flow has no groups, and for nodes outside of them."""

    title: str
    rows: Sequence[Row]


def sections(
    flow: FlowInfo, drawn: Graph, groups: Sequence[RuleGroup], pending: Mapping[str, Count]
) -> list[Section]:
    """Return the rows in the order of definition, group by group."""
    table = _Table(flow, drawn, pending, *(LISTED_OF_LARGE if groups else LISTED))
    grouped = {rule.id for group in groups for rule in group.rules}
    rows = {node.id: table.row(node) for node in drawn.nodes}
    others = [row for id_, row in rows.items() if id_ not in grouped]
    if not groups:
        return [Section("", others)]
    found = [Section(group.title, [rows[rule.id] for rule in group.rules]) for group in groups]
    return [Section("", others[:1]), *found, Section("", others[1:])]


class _Table:
    """What the rows share: the names of nodes, and the addresses of the lists of instances and jobs."""

    def __init__(
        self, flow: FlowInfo, drawn: Graph, pending: Mapping[str, Count], most: int, most_never: int
    ) -> None:
        self.flow, self.drawn, self.pending = flow, drawn, pending
        self.most, self.most_never = most, most_never
        self.never = _("never; may write")
        self.names = {node.id: name(node) for node in drawn.nodes}
        self.list = reverse("monitor:flow", args=[flow.name])
        self.jobs = reverse("monitor:jobs", args=[flow.name])

    def row(self, node: Node) -> Row:
        transition = node.rule.transition if node.rule and node.kind == "rule" else ""
        code = code_place(self.flow.name, transition) if transition else ""
        address, now = self._instances(node, transition)
        return Row(node, self.names[node.id], code, address, now, self._following(node))

    def _following(self, node: Node) -> SafeString:
        """Render the list: a large flow has more than a thousand entries, too many for a template."""
        happened, never = self.drawn.following(node.id), list(self.drawn.never(node.id))
        lines = [(edge.target, self.names[edge.target], _share(edge)) for edge in happened[: self.most]]
        lines += [
            (edge.target, self.names[edge.target], f"{self.never} {', '.join(edge.attributes)}")
            for edge in never[: self.most_never]
        ]
        entry = '<li><a href="#node-{}">{}</a> <span class="dim">{}</span></li>'
        more = len(happened) + len(never) - len(lines)
        if not lines:
            # Nothing ever follows the end of an instance.
            return format_html('<li class="dim">{}</li>', "" if node.kind == "final" else _("nothing yet"))
        rest = format_html('<li class="dim">{}</li>', _("and %(n)s more") % {"n": more}) if more else ""
        return format_html("{}{}", format_html_join("", entry, lines), rest)

    def _instances(self, node: Node, transition: str) -> tuple[str, str]:
        if transition:
            pending = self.pending.get(transition, NONE)
            text = ngettext("%(n)s pending", "%(n)s pending", pending.n) % {"n": number(pending)}
            return f"{self.jobs}?{urlencode({'transition': transition})}", text
        return (f"{self.list}{_STATUS[node.kind]}", _("instances")) if node.kind in _STATUS else ("", "")


def _share(edge: Edge) -> str:
    return f"{number(edge.count)} ({edge.share:.0%})".replace(" ", NBSP).replace("%", f"{NBSP}%")
