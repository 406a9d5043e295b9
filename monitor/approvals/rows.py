"""Proposed repairs as pages show them: what would happen, why approvals are needed, and who may decide."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from flows import api
from flows.access import AnyUser, may, may_handle, may_on, may_see
from flows.capabilities.approvals import approvers
from flows.capabilities.approvals.api import OPEN, RULES, Proposal
from flows.capabilities.bulk.api import BulkRequest
from flows.errors import WedError
from flows.queries.definitions import FlowInfo, flow_by_name
from flows.queries.instances import business_keys
from monitor.approvals.selection import KIND
from monitor.bulk.choices import ALL, REPAIRS, PreviewRow, may_all, preview_row
from monitor.desk_rule_forms import approval_summary
from monitor.labels import PROPOSAL_STATE
from monitor.lists import columns as list_columns
from monitor.lists.columns import Cells, Text
from monitor.operation_words import WORDS
from monitor.recovery import consequences

SAMPLES = 10


@dataclass(frozen=True)
class Row:
    """A proposal in a list."""

    proposal: Proposal
    flow_title: str
    operation: str
    state: str
    why: str
    cells: Cells = field(default_factory=Cells)

    @property
    def waits(self) -> str | Promise:
        """Return whom an open proposal waits for: the groups of a rule, else who may approve repairs."""
        if self.proposal.state not in OPEN:
            return ""
        return " + ".join(self.proposal.approvers) or _("who may approve repairs")


@dataclass(frozen=True)
class ChangedRule:
    """A rule that a proposal removes, or adds; one that is changed is removed and added."""

    is_new: bool
    title: str
    does: str
    condition: str


@dataclass(frozen=True)
class Shown:
    """A proposal on its page: what it would do now, and what the reader may do with it."""

    row: Row
    preview: consequences.ShownPreview | None
    is_open: bool
    may_approve: bool
    may_withdraw: bool
    changes: list[consequences.Cell] = field(default_factory=list)
    samples: list[PreviewRow] = field(default_factory=list)
    may_override: bool = False
    rules: list[ChangedRule] = field(default_factory=list)
    lacking: str = ""


def why(needed: int, title: str) -> str:
    """Return the sentence that says which approvals a repair needs; "" for none."""
    if not needed:
        return ""
    about = {"title": title or _("This repair")}
    if needed == 1:
        return _("%(title)s needs one approval by another person.") % about
    return _("%(title)s needs approvals by two other persons.") % about


def operation_title(operation: str, *, many: bool = False) -> str:
    """Return the title of what is proposed."""
    if operation == RULES:
        return _("Rules for approvals")
    choice = (ALL if many else WORDS).get(operation)
    return str(choice.title) if choice else operation


def row(found: Proposal, flow: FlowInfo | None, cells: Cells | None = None) -> Row:
    """Return a proposal of a flow for a list; `cells` are what it shows of its instance."""
    return Row(
        found,
        flow.title if flow else found.flow,
        operation_title(found.operation, many=bool(found.bulk)),
        str(PROPOSAL_STATE.get(found.state, found.state)),
        why(found.needed, found.title),
        cells or Cells(),
    )


def waiting_for(user: AnyUser) -> list[int]:
    """Return the numbers of the proposals that the user can approve."""
    return approvers.to_approve(user)


def rows(
    user: AnyUser, found: Collection[Proposal], columns: Sequence[str], known: FlowInfo | None = None
) -> tuple[list[Row], dict[str, Text]]:
    """Return proposals for a list with the titles of its columns, and what the user may see of instances."""
    of_one = [(one.flow, one.wid) for one in found if one.wid]
    read = list_columns.read(user, of_one, columns, known)
    flows = {one.name: one for one in read.flows}
    flows |= {name: info for one in found if (name := one.flow) not in flows and (info := flow_by_name(name))}
    titles = list_columns.titles(columns, read.flows, KIND.columns)
    return [row(one, flows.get(one.flow), read.of(one.wid)) for one in found], titles


def shown(found: Proposal, flow: FlowInfo, user: AnyUser) -> Shown:
    """Return a proposal with its preview, and what the user may do with it."""
    is_open = found.state in OPEN
    preview = None
    if is_open and found.wid:
        try:
            arguments = (found.wid, found.operation, found.arguments)
            preview = consequences.shown(api.repairs.preview(*arguments, actor=found.maker), flow)
        except WedError:  # the instance was removed, or is busy
            preview = None
    mine = found.maker == user.get_username()
    able = is_open and not mine and approvers.can_approve(user, found)
    return Shown(
        row(found, flow),
        preview,
        is_open,
        able,
        is_open and mine and may_withdraw(user, found),
        _changes(found, flow) if found.bulk else [],
        _samples(found, flow) if found.bulk and is_open else [],
        approvers.may_override(user, found),
        _changed_rules(found) if found.operation == RULES else [],
        approvers.lacking_sentence(found, user, able=able),
    )


def _changed_rules(found: Proposal) -> list[ChangedRule]:
    """Return the rules that a proposal removes, then those that it adds."""
    before, after = found.arguments["before"], found.arguments["rules"]
    gone = [each for each in before if each not in after]
    return [
        ChangedRule(each not in gone, *approval_summary(each), each["condition"])
        for each in (*gone, *(each for each in after if each not in before))
    ]


def may_withdraw(user: AnyUser, found: Proposal) -> bool:
    """Return whether the user may withdraw a proposal, if its maker."""
    if found.operation == RULES:
        return may(user, "design", found.flow)
    if found.bulk:
        return may_handle(user, found.flow) or may_all(user, found.operation, [found.flow])
    wid = found.wid or 0
    return any(may_on(user, action, found.flow, wid) for action in ("handle", "operate", "move"))


def _changes(found: Proposal, flow: FlowInfo) -> list[consequences.Cell]:
    """Return the new values of a repair of many, of the attributes that are shown."""
    new = found.arguments.get("changes", {})
    return [
        consequences.Cell(one.title, one.type, None, consequences.plain_text(new[one.name]))
        for one in flow.attributes
        if one.name in new
    ]


def _samples(found: Proposal, flow: FlowInfo) -> list[PreviewRow]:
    """Return the effect on the first instances of a repair of many."""
    first = [row.wid for row in api.bulk.rows(found.bulk or 0, limit=SAMPLES)]
    keys = business_keys(flow, first)
    if found.operation not in REPAIRS:
        return [PreviewRow(wid, key=keys.get(wid, "")) for wid in first]
    transition = found.arguments.get("transition", "")
    arguments = {name: one for name, one in found.arguments.items() if name != "transition"}
    asked = BulkRequest(found.operation, "", transition=transition, arguments=arguments)
    seen = api.bulk.preview(asked, first, actor=found.maker, total=found.total)
    rows = (
        preview_row(one, flow.transition_titles) for one in seen if one.refusal is None or not flow.concealed
    )
    return [replace(row, key=keys.get(row.wid, "")) for row in rows]


def open_of(wid: int, flow: FlowInfo, user: AnyUser) -> Shown | None:
    """Return the proposal that waits in an instance; one about many is for who sees the flow."""
    waiting = api.approvals.list([flow.name], wid=wid, limit=20)
    found = next((one for one in waiting if one.wid or may_see(user, flow.name)), None)
    return shown(found, flow, user) if found else None
