"""What each address and command that changes something is about: an operation's door, or none, and why.

The walk over the doors of operations is tests/access/test_doors.py; `DOORS` are its addresses and commands.
"""

from __future__ import annotations

from collections.abc import Mapping

DOORS = frozenset(
    """
    instances/<int:wid>/repair/ instances/<int:wid>/undo/ instances/<int:wid>/cancel/
    instances/<int:wid>/operate/<slug:operation>/ instances/<int:wid>/rematch/ instances/<int:wid>/hand-over/
    api/v1/instances/<int:wid>/cancel api/v1/instances/<int:wid>/suspend api/v1/instances/<int:wid>/resume
    api/v1/instances/<int:wid>/rematch api/v1/instances/<int:wid>/jobs/<int:job>/retry
    api/v1/instances/<int:wid>/jobs/<int:job>/release api/v1/instances/<int:wid>/jobs/<int:job>/withdraw
    api/v1/instances/<int:wid>/jobs/<int:job>/priority api/v1/instances/<int:wid>/jobs/<int:job>/extend
    api/v1/instances/<int:wid>/jobs/<int:job>/reassign api/v1/instances/<int:wid>/repair
    api/v1/flows/<slug:name>/repairs api/v1/flows/<slug:name>/repairs/preview
    repair operate moves
    """.split()
)
# What changes an instance otherwise, or what others have of it, by the test that walks over it.
ELSEWHERE: Mapping[str, str] = {
    "monitor/tasks/tests/test_rights_by_door.py": """
        tasks/take/ tasks/release/ tasks/give/ tasks/place/ tasks/choose/ tasks/next/ tasks/<int:task>/
        tasks/<int:task>/<slug:verb>/ tasks/<int:task>/files/<slug:attribute>/ instances/<int:wid>/tasks/
        api/v1/tasks/next api/v1/tasks/<int:task>/take api/v1/tasks/<int:task>/start
        api/v1/tasks/<int:task>/complete api/v1/tasks/<int:task>/fail api/v1/tasks/<int:task>/release
        api/v1/tasks/<int:task>/give api/v1/tasks/<int:task>/aside api/v1/tasks/<int:task>/deadline
        api/v1/tasks/<int:task>/late tasks""",
    "flows/capabilities/offline/tests/kernel/test_k_offline_results.py": """
        offline/unlock/ offline/results/ offline/away/ offline/desk/
        offline/files/<int:task>/<slug:attribute>/ devices/<int:device>/<slug:verb>/
        api/v1/offline/devices api/v1/offline/results devices""",
    "tests/access/test_lost_rights.py": """
        cases/proposals/<int:proposal>/<slug:verb>/ api/v1/instances/<int:wid>/repair/propose
        api/v1/proposals/<int:proposal>/approve api/v1/proposals/<int:proposal>/reject
        api/v1/proposals/<int:proposal>/withdraw cases/delegations/ flowdraft""",
    "monitor/bulk/tests/test_bulk.py": """
        bulk/new/ bulk/<int:bulk>/ api/v1/repairs/<int:bulk>/withdraw bulk""",
    "monitor/bulk/tests/test_repair_many.py": "cases/repair/",
    "monitor/cases/tests/test_cases_page.py": """
        cases/next/ cases/<int:case>/draft/ cases/<int:case>/files/
        cases/<int:case>/files/<int:file>/remove/ cases/<int:case>/<slug:verb>/ api/v1/cases/next
        api/v1/cases/<int:case>/claim api/v1/cases/<int:case>/release api/v1/cases/<int:case>/comment
        api/v1/cases/<int:case>/wait api/v1/cases/<int:case>/change api/v1/cases/<int:case>/files cases""",
    "flows/tests/kernel/operation/test_k_verbs.py": """
        flows/<slug:name>/signals/ api/v1/flows/<slug:name>/signals signal
        api/v1/instances/<int:wid>/jobs/<int:job>/children""",
    "flows/capabilities/moves/tests/kernel/test_k_move_approvals.py": """
        moves/ moves/<uuid:move>/ api/v1/moves""",
    "flows/tests/design/test_one_door.py": """
        loadflow importgraph importbpmn importpdl wsql""",
}
# What changes no instance that there is.
NONE: Mapping[str, str] = {
    "it starts instances": """
        flows/<slug:name>/start/ flows/<slug:name>/start/csv/ api/v1/flows/<slug:name>/instances
        startinstance""",
    "rules and settings of a flow, which are under the controls": """
        flows/<slug:name>/indexes/ flows/<slug:name>/case-rules/ flows/<slug:name>/case-rules/edit/
        flows/<slug:name>/slas/ flows/<slug:name>/slas/edit/ flows/<slug:name>/calendars/edit/
        api/v1/flows/<slug:name>/slas api/v1/flows/<slug:name>/calendars
        alerts/<int:rule>/change/ alerts/<int:rule>/<slug:verb>/ flows/<slug:name>/alerts/new/
        flows/<slug:name>/webhooks/new/ webhooks/<int:hook>/change/ webhooks/<int:hook>/<slug:verb>/
        cases/<int:case>/rule/ api/v1/cases/<int:case>/rule/draft
        workers/keys/ alerts webhooks sla caselinks flowrole flowgroups flowindex workerkey flow
        createflow loaddemo""",
    "what a user has for himself, or may do": """
        views/ views/<int:saved_view>/delete/ api/v1/views cases/digests/ messages/ tasks/absences/
        tasks/mails/ api/v1/messages/read theme/ tour/ i18n/setlang/ accounts/login/ accounts/login/code/
        accounts/login/setup/ accounts/logout/ accounts/password/ accounts/password/done/ accounts/tokens/
        accounts/security/ accounts/security/setup/ people/ people/<int:person>/ apitoken removefactor""",
    "it reads": """
        instances/<int:wid>/looks/ api/v1/instances/<int:wid>/looks health/check/ favicon.ico api/v1/
        api/v1/instances/<int:wid>/repair/preview archive""",
}


def known() -> dict[str, str]:
    """Return the addresses and commands with the test that walks over them, or why none has to."""
    found = dict.fromkeys(DOORS, "tests/access/test_doors.py")
    for why, names in (*ELSEWHERE.items(), *NONE.items()):
        found |= dict.fromkeys(names.split(), why)
    return found
