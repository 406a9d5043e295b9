"""What is defined of the cases of a flow: lists of rules in an order, read, checked and saved as a whole."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeAlias, TypeVar

from django.db import transaction
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from flows import api
from flows.capabilities.approvals.api import ApprovalRule, Proposal
from flows.capabilities.cases.api import CaseRule
from flows.capabilities.recovery.policies import RecoveryPolicy
from flows.errors import BadCase
from flows.models import Flow
from flows.queries.definitions import FlowInfo
from monitor import desk_rule_forms as of
from monitor.links import save_links
from monitor.models import CaseLink

Item = Mapping[str, Any]
Text = str | Promise
Edit: TypeAlias = Callable[[list[dict[str, Any]]], None]
T = TypeVar("T")


@dataclass(frozen=True)
class Kind:
    """A kind of rules: its texts, how it is read and saved, and its form.

    `summary` returns, for a flow and a rule, its title and what it does; `known` are the fields of a rule.
    """

    title: Text
    about: Text
    new: Text
    form: type[of.RuleForm]
    read: Callable[[FlowInfo], Sequence[Item]]
    save: Callable[[FlowInfo, Sequence[Item], str], object]
    known: Sequence[str]
    summary: Callable[[Item], tuple[str, str]]


def _saved(read: Callable[[str], Sequence[Any]]) -> Callable[[FlowInfo], Sequence[Item]]:
    return lambda flow: [vars(each) for each in read(flow.name)]


def _as(made: type[Any], save: Callable[..., object]) -> Callable[[FlowInfo, Sequence[Item], str], object]:
    return lambda flow, items, actor: save(flow.name, [made(**each) for each in items], actor)


def _names(made: type[Any]) -> Sequence[str]:
    return [each.name for each in fields(made)]


def _links(flow: FlowInfo) -> Sequence[Item]:
    return list(CaseLink.objects.filter(flow_id=flow.id).order_by("position").values("label", "url", "cause"))


KINDS: Mapping[str, Kind] = {
    "queues": Kind(
        _("Queues"),
        _("When a case opens, the first rule whose condition holds decides where it goes. Open cases stay."),
        _("New queue rule"),
        of.QueueForm,
        _saved(api.cases.list_rules),
        _as(CaseRule, api.cases.save_rules),
        _names(CaseRule),
        of.queue_summary,
    ),
    "approvals": Kind(
        _("Approvals"),
        _("A repair needs as many approvals of other persons as the strictest rule that matches it says."),
        _("New approval rule"),
        of.ApprovalForm,
        _saved(api.approvals.list_rules),
        _as(ApprovalRule, api.approvals.save_rules),
        _names(ApprovalRule),
        of.approval_summary,
    ),
    "policies": Kind(
        _("Policies"),
        _("Before people are asked, the first policy that suits a case acts on it, also on open cases."),
        _("New policy"),
        of.PolicyForm,
        _saved(api.repairs.list_policies),
        _as(RecoveryPolicy, api.repairs.save_policies),
        _names(RecoveryPolicy),
        of.policy_summary,
    ),
    "links": Kind(
        _("Links"),
        _("Cases show links to other systems, made of an address with values of the state."),
        _("New link"),
        of.LinkForm,
        _links,
        lambda flow, items, _actor: save_links(flow, items),
        ("label", "url", "cause"),
        of.link_summary,
    ),
}


def digest(items: Sequence[Item]) -> str:
    """Return a digest that identifies a list, so that only the one that was shown is changed."""
    text = json.dumps(items, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def change(kind: Kind, flow: FlowInfo, seen: str, edit: Edit, actor: str) -> None:
    """Change the list of a kind that was seen.

    Raises BadCase where it is another one now, and what saving raises.
    """
    _edit(kind, flow, seen, edit, lambda items: kind.save(flow, items, actor))


def propose(flow: FlowInfo, seen: str, edit: Edit, reason: str, actor: str) -> Proposal:
    """Propose a change of the rules for approvals that were seen. Raises as `change`."""

    def save(items: list[dict[str, Any]]) -> Proposal:
        rules = [ApprovalRule(**each) for each in items]
        return api.approvals.propose_rules(flow.name, rules, reason, actor=actor)

    return _edit(KINDS["approvals"], flow, seen, edit, save)


def _edit(kind: Kind, flow: FlowInfo, seen: str, edit: Edit, save: Callable[[list[dict[str, Any]]], T]) -> T:
    with transaction.atomic():
        Flow.objects.select_for_update(no_key=True).filter(pk=flow.id).values_list("pk").first()
        saved = kind.read(flow)
        if digest(saved) != seen:
            raise BadCase(
                str(_("The rules were changed meanwhile.")), hint=str(_("Look at them and try again."))
            )
        items = [{name: one[name] for name in kind.known} for one in saved]
        edit(items)
        return save(items)
