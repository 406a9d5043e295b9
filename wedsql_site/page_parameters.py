"""The parameters of the addresses of pages, and a notice about those that a page does not read.

A misspelled filter in a link would show another list than the link says, without a word. A file cannot show a
notice, so that it is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import get_close_matches

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _

MOST = 5
LONGEST = 60
# Forms that links fill in, with the names of attributes, and pages of others.
ANY = "*"
# What mail programs, search engines and other sites add to links.
FOREIGN = ("utm_", "mc_", "fbclid", "gclid", "msclkid", "dclid", "yclid", "_")

# The names that each page reads, by the name of its view. Pages of ANY are not checked.
PARAMETERS = {
    "admin:flows_flow_attributes": "attribute condition integrity transition",
    "admin:flows_flow_forms": "at rule",
    "admin:flows_flow_checks": "check part",
    "admin:flows_flow_draft": "",
    "admin:flows_flow_example": "flow handlers q",
    "admin:flows_flow_import": "",
    "admin:flows_flow_new": "flow handlers q",
    "admin:flows_flow_new_attributes": "condition integrity transition",
    "admin:flows_flow_new_draft": "",
    "admin:flows_flow_new_paste": "part",
    "admin:flows_flow_new_pdl": "",
    "admin:flows_flow_new_publish": "examine part version",
    "admin:flows_flow_new_rules": "condition integrity transition",
    "admin:flows_flow_new_scenarios": "part scenario version",
    "admin:flows_flow_new_settings": "condition integrity transition",
    "admin:flows_flow_new_text": "format",
    "admin:flows_flow_new_try": "scenario seq state version wid",
    "admin:flows_flow_new_wsql": "",
    "admin:flows_flow_paste": "part",
    "admin:flows_flow_pdl": "",
    "admin:flows_flow_picture": "format",
    "admin:flows_flow_publish": "examine part version",
    "admin:flows_flow_rules": "condition integrity rule transition",
    "admin:flows_flow_scenarios": "part scenario version",
    "admin:flows_flow_settings": "condition integrity transition",
    "admin:flows_flow_text": "format",
    "admin:flows_flow_try": "scenario seq state version wid",
    "admin:flows_flow_versions": "before format new old version",
    "admin:flows_flow_whatif": "condition since",
    "admin:flows_flow_wsql": "",
    "admin:flows_flow_changelist": ANY,
    "admin:flows_flow_delete": ANY,
    "login": ANY,
    "monitor:api": "",
    "monitor:absences": "",
    "monitor:task_mails": "",
    "monitor:alert": "before q",
    "monitor:alerts": "a after columns condition op part q sort status v",
    "monitor:error": "after before",
    "monitor:errors": "after flow q sort window",
    "monitor:analysis": "against from of page to transition window",
    "monitor:analysis_steps": "against of page since transition until",
    "monitor:approvals": "a after columns condition op part q show sort status v",
    "monitor:audit": "actor attribute before from kind to wid",
    "monitor:bulk": "after before flow operation q result",
    "monitor:bulk_new": "after before cause flow operation q queue result signature",
    "monitor:bulks": "after before flow operation q result",
    "monitor:calendar": "id",
    "monitor:cancel": "",
    "monitor:case_file": "",
    "monitor:case_reports": "by flow from of to window",
    "monitor:cases": "a after cause columns condition flow op part q queue show signature sort status v",
    "monitor:change_alert": "before q",
    "monitor:change_webhook": "before q",
    "monitor:children": "after job",
    "monitor:controls": "actor before control flow from to",
    "monitor:counted": "after before exact flow of trend",
    "monitor:define_alert": "before q",
    "monitor:define_webhook": "before q",
    "monitor:device": "before show",
    "monitor:devices": "before person",
    "monitor:delegations": "to",
    "monitor:desk_rule": "case kind row",
    "monitor:desk_rules": "case kind row",
    "monitor:diagram": "instance",
    "monitor:digests": "",
    "monitor:exceptions": "after",
    "monitor:flow": "a after at before columns condition exact op part place q role sort state status top"
    " transition v",
    "monitor:flows": "after at before exact flow of place trend",
    "monitor:health": "",
    "monitor:instance": "after before compare idle order seq view",
    "monitor:instances": "a after at before columns condition exact op part q sort status top v",
    "monitor:jobs": "a behind columns condition exact op part q role sort state status top transition v",
    "monitor:locks": "after",
    "monitor:messages": "before kind show",
    "monitor:operate": ANY,
    "monitor:picture": "at place",
    "monitor:proposal": "after show",
    "monitor:proposed_rule": "",
    "monitor:repair": ANY,
    "monitor:repair_many": ANY,
    "monitor:signals": "before instance key signal token",
    "monitor:sla": "id",
    "monitor:slas": "id",
    "monitor:start": "",
    "monitor:start_csv": "",
    "monitor:step": "at compare step",
    "monitor:steps": "at compare step",
    "monitor:task": "flow next q",
    "monitor:task_settings": "",
    "monitor:tasks": "a after columns condition flow op order part q show status v",
    "monitor:views": "columns counted flow list name q sort",
    "monitor:webhook": "before q",
    "monitor:webhooks": "before q",
    "monitor:why": "step",
    "monitor:workers": "after",
    "password_change": ANY,
    "search": "q",
    "security": ANY,
    "tokens": ANY,
    "people": "after person_after q",
    "person": "after",
    "worker_keys": "after all key verb",
}

# The names that each file reads, by the name of its view.
FILES = {
    "monitor:export": "a columns condition op part q sort status v",
    "monitor:export_all": "a condition op part q sort status v",
    "monitor:export_audit": "actor attribute from kind to wid",
    "monitor:export_case_report": "by flow from of to window",
    "monitor:export_history": "from to window",
    "monitor:field_values": "field flow",
    "monitor:instance_json": "after",
    "monitor:step_json": "",
}


class UnreadParameters:
    """Notes the parameters of a page that it does not read; templates/pages/unread.html shows them.

    A file with such a parameter is refused, also one that a page returns.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        answer = self.get_response(request)
        unread = getattr(request, "unread_parameters", [])
        if unread and answer.get("Content-Disposition", "").startswith("attachment"):
            answer.close()
            return _refused(unread)
        return answer

    def process_view(self, request: HttpRequest, *_view: object) -> HttpResponse | None:
        """Look the page up, and compare the names."""
        request.unread_parameters = []  # type: ignore[attr-defined]
        page = request.resolver_match.view_name if request.resolver_match else ""
        known = FILES.get(page, PARAMETERS.get(page, ANY)).split()
        if not request.GET or ANY in known:
            return None
        unread = [*_notices(request, known, is_file=page in FILES)][:MOST]
        request.unread_parameters = unread  # type: ignore[attr-defined]
        return _refused(unread) if unread and page in FILES else None


def _refused(notices: list[str]) -> HttpResponse:
    text = "\n".join([*notices, ""])
    return HttpResponse(text, status=400, content_type="text/plain; charset=utf-8")


def _notices(request: HttpRequest, known: list[str], *, is_file: bool) -> Iterator[str]:
    for name in request.GET:
        if name in known or name.startswith(FOREIGN):
            continue
        shown = "".join(
            each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in name[:LONGEST]
        )
        near = get_close_matches(name[:LONGEST], known, 1)
        said = [
            _("A file has no parameter “%(name)s” here: nothing is downloaded.")
            if is_file
            else _("This page has no parameter “%(name)s”; what it shows does not depend on it.")
        ]
        said += [_("Did you mean %(near)s?")] if near else []
        yield " ".join(said) % {"name": shown, "near": near[0] if near else ""}
