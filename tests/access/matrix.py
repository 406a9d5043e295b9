"""The answer to each role at each URL and at each live connection.

A column is a role, in the order of ROLES. A letter is the answer: `y` served, `L` redirected to log in, `n`
not found, `f` forbidden, `-` method not allowed, `b` bad request, as the test sends no content,
`c` conflict, as the instances of the test have nothing to do it with.
The first word is for GET, the second for POST.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

ROLES = (
    "anonymous", "nobody", "viewer", "designer", "operator", "staff", "superuser",
    "own designer", "own approver",
)  # fmt: skip
# Roles that see one flow only; the columns of the others are the same for every flow.
OF_ONE_FLOW = ("viewer", "operator", "own designer", "own approver", "own clerk")
# Roles without a column: where the answers differ from those to the other role, they are in ANSWERS.
LIKE = {"own clerk": "viewer"}
ANSWERS = {
    "own clerk": {
        "instances/<int:wid>/repair/": ("y", "y"),
        "instances/<int:wid>/undo/": ("-", "y"),
        "bulk/new/": ("y", "y"),
        "cases/next/": ("-", "y"),
        "cases/<int:case>/draft/": ("-", "y"),
        "cases/<int:case>/files/": ("-", "y"),
        "cases/<int:case>/files/<int:file>/remove/": ("-", "y"),
        "cases/<int:case>/<slug:verb>/": ("-", "y"),
        "api/v1/instances/<int:wid>/repair": ("-", "b"),
        "api/v1/instances/<int:wid>/repair/preview": ("-", "b"),
        "api/v1/instances/<int:wid>/repair/propose": ("-", "b"),
        "api/v1/flows/<slug:name>/repairs": ("-", "b"),
        "api/v1/flows/<slug:name>/repairs/preview": ("-", "b"),
        "api/v1/instances/<int:wid>/jobs/<int:job>/retry": ("-", "b"),
        **{
            f"api/v1/cases/{verb}": ("-", "b")
            for verb in (
                "next",
                *(f"<int:case>/{each}" for each in ("claim", "comment", "wait", "change")),
            )
        },
        "api/v1/cases/<int:case>/release": ("-", "c"),
        "api/v1/cases/<int:case>/files": ("y", "b"),
    },
}

URLS = """
                                                   Lyyyyyyyy ---------
flows/<slug:name>/                                 Lnyyyyyyy ---------
flows/<slug:name>/jobs/                            Lnyyyyyyy ---------
instances/                                         Lyyyyyyyy ---------
instances/export.<slug:ending>                     Lyyyyyyyy ---------
flows/<slug:name>/export.<slug:ending>             Lnyyyyyyy ---------
bulk/                                              Lyyyyyyyy ---------
bulk/new/                                          Lfffyfyff Lfffyfyff
bulk/<int:bulk>/                                   Lnyyyyyyy Lnffyfyff
views/                                             Lyyyyyyyy Lyyyyyyyy
views/<int:saved_view>/delete/                     --------- Lyyyyyyyy
alerts/                                            Lyyyyyyyy ---------
alerts/<int:rule>/                                 Lnyyyyyyy ---------
alerts/<int:rule>/change/                          Lnffyfyff Lnffyfyff
alerts/<int:rule>/<slug:verb>/                     --------- Lnffyfyff
flows/<slug:name>/alerts/new/                      Lnffyfyff Lnffyfyff
flows/<slug:name>/case-rules/                      Lnfyffyyf Lnfyffyyf
flows/<slug:name>/case-rules/edit/                 Lnfyffyyf Lnfyffyyf
flows/<slug:name>/webhooks/                        Lnyyyyyyy ---------
flows/<slug:name>/webhooks/new/                    Lnffyfyff Lnffyfyff
webhooks/<int:hook>/                               Lnyyyyyyy ---------
webhooks/<int:hook>/change/                        Lnffyfyff Lnffyfyff
webhooks/<int:hook>/<slug:verb>/                   --------- Lnffyfyff
flows/<slug:name>/slas/                            Lnyyyyyyy Lnffyfyff
flows/<slug:name>/slas/edit/                       Lnffyfyff Lnffyfyff
flows/<slug:name>/calendars/edit/                  Lnffyfyff Lnffyfyff
flows/<slug:name>/picture/                         Lnyyyyyyy ---------
flows/<slug:name>/diagram/                         Lnyyyyyyy ---------
flows/<slug:name>/analysis/                        Lnyyyyyyy ---------
flows/<slug:name>/analysis/steps/                  Lnyyyyyyy ---------
flows/<slug:name>/history.<slug:ending>            Lnyyyyyyy ---------
instances/<int:wid>/                               Lnyyyyyyy ---------
instances/<int:wid>.json                           Lnyyyyyyy ---------
instances/<int:wid>/steps/                         Lnyyyyyyy ---------
instances/<int:wid>/steps/<int:seq>/               Lnyyyyyyy ---------
instances/<int:wid>/steps/<int:seq>.json           Lnyyyyyyy ---------
flows/<slug:name>/indexes/                         --------- Lnfyffyyf
flows/<slug:name>/start/                           Lnffyfyff Lnffyfyff
flows/<slug:name>/start/csv/                       Lnffyfyff Lnffyfyff
flows/<slug:name>/signals/                         Lnyyyyyyy Lnffyfyff
flows/<slug:name>/locks/                           Lnyyyyyyy ---------
instances/<int:wid>/cancel/                        Lnffyfyff Lnffyfyff
instances/<int:wid>/hand-over/                     Lnffffyff Lnffffyff
moves/                                             Lyyyyyyyy Lyyyyyyyy
moves/<uuid:move>/                                 Lnyyyyyyy Lnffffyff
moves/<uuid:move>/message/                         Lnffffyff ---------
instances/<int:wid>/operate/<slug:operation>/      Lnffyfyff Lnffyfyff
instances/<int:wid>/rematch/                       --------- Lnffyfyff
instances/<int:wid>/repair/                        Lnffyfyff Lnffyfyff
instances/<int:wid>/undo/                          --------- Lnffyfyff
instances/<int:wid>/why/                           Lnyyyyyyy ---------
instances/<int:wid>/children/                      Lnyyyyyyy ---------
cases/                                             Lyyyyyyyy ---------
tasks/                                             Lyyyyyyyy ---------
tasks/take/                                        --------- Lyyyyyyyy
tasks/release/                                     --------- Lyyyyyyyy
tasks/give/                                        --------- Lyyyyyyyy
tasks/place/                                       --------- Lyyyyyyyy
tasks/choose/                                      --------- Lyyyyyyyy
tasks/next/                                        --------- Lyyyyyyyy
tasks/<int:task>/                                  Lnyyyyyyy Lnfffffff
tasks/<int:task>/<slug:verb>/                      --------- Lnffyfyff
tasks/<int:task>/files/<slug:attribute>/           Lnnnnnnnn Lnfffffff
instances/<int:wid>/files/<slug:attribute>/        Lnnnnnnnn ---------
messages/                                          Lyyyyyyyy Lyyyyyyyy
messages/unread/                                   Lyyyyyyyy ---------
tasks/absences/                                    Lyyyyyyyy Lyyyyyyyy
tasks/mails/                                       Lyyyyyyyy Lyyyyyyyy
devices/                                           Lnnynyynn ---------
devices/<int:device>/                              Lnnynyynn ---------
devices/<int:device>/<slug:verb>/                  --------- Lfffffyff
offline/                                           yyyyyyyyy ---------
offline/worker.js                                  yyyyyyyyy ---------
offline/styles.css                                 yyyyyyyyy ---------
offline/manifest.webmanifest                       yyyyyyyyy ---------
offline/<slug:language>/                           nnnnnnnnn ---------
offline/sync/                                      Lbbbbbbbb ---------
offline/unlock/                                    --------- Lbbbbbbbb
offline/away/                                      --------- Lbbbbbbbb
offline/desk/                                      --------- Lnnnnnnnn
offline/packages/<int:task>/                       Lnnnnnnnn ---------
offline/files/<int:task>/<slug:attribute>/         --------- Lbbbbbbbb
offline/results/                                   Lbbbbbbbb Lbbbbbbbb
instances/<int:wid>/tasks/                         Lnyyyyyyy Lnffyfyff
cases/reports/                                     Lyyyyyyyy ---------
cases/reports.<slug:ending>                        Lyyyyyyyy ---------
cases/repair/                                      Lnnnnnnnn Lnnnnnnnn
cases/next/                                        --------- Lfffyfyff
cases/<int:case>/draft/                            --------- Lnffyfyff
instances/<int:wid>/looks/                         --------- Lnfbffbbf
flows/<slug:name>/audit/                           Lnfyffyyf ---------
flows/<slug:name>/audit.<slug:ending>              Lnfyffyyf ---------
cases/approvals/                                   Lyyyyyyyy ---------
cases/delegations/                                 Lyyyyyyyy Lfffffyff
cases/digests/                                     Lyyyyyyyy Lyyyyyyyy
cases/proposals/<int:proposal>/                    Lnyyyyyyy ---------
cases/proposals/<int:proposal>/<slug:verb>/        --------- Lnffffyff
cases/<int:case>/files/                            --------- Lnffyfyff
cases/<int:case>/files/<int:file>/                 Lnyyyyyyy ---------
cases/<int:case>/files/<int:file>/remove/          --------- Lnffyfyff
cases/<int:case>/<slug:verb>/                      --------- Lfffyfyff
cases/<int:case>/rule/                             Lnyyyyyyy Lnfyffyyf
exceptions/                                        Lyyyyyyyy ---------
errors/                                            Lyyyyyyyy ---------
errors/<int:number>/                               Lnyyyyyyy ---------
counted/                                           Lyyyyyyyy ---------
search/                                            Lyyyyyyyy ---------
search/results/                                    Lyyyyyyyy ---------
views/values/                                      Lyyyyyyyy ---------
workers/                                           Lyyyyyyyy ---------
controls/                                          Lnnynyynn ---------
health/                                            Lnnynyynn ---------
health/check/                                      --------- Lnnynyynn
live/flows/                                        Lyyyyyyyy ---------
live/flows/<slug:name>/                            Lnyyyyyyy ---------
live/instances/                                    Lyyyyyyyy ---------
live/flows/<slug:name>/picture/                    Lnyyyyyyy ---------
live/flows/<slug:name>/diagram/                    Lnyyyyyyy ---------
live/instances/<int:wid>/                          Lnyyyyyyy ---------
api/v1/openapi.json                                yyyyyyyyy ---------
api/v1/docs/                                       Lyyyyyyyy ---------
theme/                                             --------- yyyyyyyyy
tour/                                              --------- Lyyyyyyyy
i18n/setlang/                                      yyyyyyyyy yyyyyyyyy
favicon.ico                                        yyyyyyyyy yyyyyyyyy
styleguide/                                        nnnnnnnnn ---------
healthz                                            yyyyyyyyy ---------
readyz                                             yyyyyyyyy ---------
metrics                                            yyyyyyyyy ---------
accounts/login/                                    yyyyyyyyy yyyyyyyyy
accounts/login/code/                               yyyyyyyyy yyyyyyyyy
accounts/login/setup/                              yyyyyyyyy yyyyyyyyy
accounts/logout/                                   --------- yyyyyyyyy
accounts/password/                                 Lyyyyyyyy Lyyyyyyyy
accounts/password/done/                            Lyyyyyyyy L--------
accounts/security/                                 Lyyyyyyyy Lyyyyyyyy
accounts/tokens/                                   Lyyyyyyyy Lyyyyyyyy
workers/keys/                                      Lfffffyff Lfffffyff
people/                                            Lfffffyff Lfffffyff
people/<int:person>/                               Lfffffyff Lfffffnff
accounts/security/setup/                           Lyyyyyyyy Lyyyyyyyy
admin/                                             LLLyLyyLL LLLyLyyLL
admin/login/                                       yyyyyyyyy yyyyyyyyy
admin/logout/                                      yyy-y--yy yyyyyyyyy
admin/password_change/                             yyyyyyyyy yyyyyyyyy
admin/password_change/done/                        LLLyLyyLL LLL-L--LL
admin/autocomplete/                                LLLfLffLL LLL-L--LL
admin/jsi18n/                                      LLLyLyyLL LLL-L--LL
admin/r/<path:content_type_id>/<path:object_id>/   LLLnLnnLL LLLnLnnLL
admin/auth/user/<id>/password/                     LLLfLfyLL LLLfLfyLL
admin/flows/flow/<int:flow_id>/picture/            Lnyyyyyyy ---------
admin/flows/flow/<int:flow_id>/try/                Lnyyyyyyy Lnyyyyyyy
admin/flows/flow/conditions/check/                 --------- Lnbbbbbbb
admin/flows/flow/conditions/completions/           Lnyyyyyyy ---------
admin/flows/flow/<int:flow_id>/scenarios/          Lnyyyyyyy ---------
admin/flows/flow/gallery/<slug:example>/           Lnnynnynn Lnnynnynn
admin/flows/flow/new/<slug:name>/try/              Lnyyyyyyy Lnyyyyyyy
admin/flows/flow/new/<slug:name>/scenarios/        Lnyyyyyyy ---------
admin/flows/flow/<int:flow_id>/what-if/            Lnyyyyyyy ---------
admin/flows/flow/<int:flow_id>/checks/             Lnyyyyyyy Lnnynnyyn
admin/flows/flow/<int:flow_id>/publish/            Lnyyyyyyy Lnnnnnynn
admin/flows/flow/<int:flow_id>/publish/impact/     Lnyyyyyyy ---------
admin/flows/flow/<int:flow_id>/versions/           Lnyyyyyyy Lnnynnyyn
admin/flows/flow/<int:flow_id>/design/             Lnyyyyyyy Lnnynnyyn
admin/flows/flow/<int:flow_id>/design/attributes/  Lnyyyyyyy Lnnynnyyn
admin/flows/flow/<int:flow_id>/design/forms/       Lnyyyyyyy Lnnynnyyn
admin/flows/flow/<int:flow_id>/design/settings/    Lnyyyyyyy Lnnynnyyn
admin/flows/flow/<int:flow_id>/design/text/        Lnyyyyyyy Lnnynnyyn
admin/flows/flow/<int:flow_id>/design/paste/       Lnnynnyyn Lnnynnyyn
admin/flows/flow/<int:flow_id>/design/wsql/        Lnnynnyyn Lnnynnyyn
admin/flows/flow/<int:flow_id>/design/draft/       Lnnynnyyn Lnnynnyyn
admin/flows/flow/new/<slug:name>/design/           Lnyyyyyyy Lnnynnyyn
admin/flows/flow/new/<slug:name>/design/attributes/ Lnyyyyyyy Lnnynnyyn
admin/flows/flow/new/<slug:name>/publish/          Lnyyyyyyy Lnnnnnynn
admin/flows/flow/new/<slug:name>/design/forms/     Lnyyyyyyy Lnnynnyyn
admin/flows/flow/new/<slug:name>/design/settings/  Lnyyyyyyy Lnnynnyyn
admin/flows/flow/new/<slug:name>/design/text/      Lnyyyyyyy Lnnynnyyn
admin/flows/flow/new/<slug:name>/design/paste/     Lnnynnyyn Lnnynnyyn
admin/flows/flow/new/<slug:name>/design/wsql/      Lnnynnyyn Lnnynnyyn
admin/flows/flow/new/<slug:name>/design/draft/     Lnnynnyyn Lnnynnyyn
admin/flows/flow/new/                              Lnnynnynn Lnnynnynn
admin/flows/flow/import/                           Lnnynnynn Lnnynnynn
admin/flows/flow/pdl/                              Lnnynnynn Lnnynnynn
admin/flows/flow/<int:flow_id>/pdl/                Lnnynnyyn Lnncnnccn
"""

# 401 counts as `L`. What may be done is rejected as bad input, as the test sends none.
API = """
                                                   nnnnnnnnn nnnnnnnnn
me                                                 Lyyyyyyyy ---------
events                                             Lyyyyyyyy ---------
flows/<slug:name>/webhooks                         Lnyyyyyyy ---------
flows/<slug:name>/slas                             Lnyyyyyyy Lnffbfbff
flows/<slug:name>/slas/<int:sla>                   --------- ---------
flows/<slug:name>/calendars                        Lnyyyyyyy Lnffbfbff
flows/<slug:name>/calendars/<int:calendar>         --------- ---------
instances/<int:wid>/clocks                         Lnyyyyyyy ---------
flows                                              Lyyyyyyyy ---------
flows/<slug:name>                                  Lnyyyyyyy ---------
flows/<slug:name>/instances                        Lnyyyyyyy Lnffbfbff
flows/<slug:name>/instances/count                  Lnyyyyyyy ---------
flows/<slug:name>/jobs                             Lnyyyyyyy ---------
flows/<slug:name>/signals                          Lnyyyyyyy Lnffbfbff
flows/<slug:name>/locks                            Lnyyyyyyy ---------
flows/<slug:name>/figures                          Lnyyyyyyy ---------
instances                                          Lyyyyyyyy ---------
instances/count                                    Lyyyyyyyy ---------
instances/<int:wid>                                Lnyyyyyyy ---------
instances/<int:wid>/history                        Lnyyyyyyy ---------
instances/<int:wid>/steps/<int:seq>                Lnyyyyyyy ---------
instances/<int:wid>/late                           Lnyyyyyyy ---------
messages                                           Lyyyyyyyy ---------
messages/read                                      --------- Lbbbbbbbb
instances/<int:wid>/task-settings                  Lnyyyyyyy ---------
tasks/<int:task>/deadline                          --------- Lnffbfbff
tasks/<int:task>/late                              --------- Lnfffffff
instances/<int:wid>/children                       Lnyyyyyyy ---------
instances/<int:wid>/graph                          Lnnnnnnnn ---------
instances/<int:wid>/why                            Lnyyyyyyy ---------
instances/<int:wid>/looks                          --------- Lnfbffbbf
flows/<slug:name>/looks                            Lnfyffyyf ---------
instances/<int:wid>/cancel                         --------- Lnffbfbff
instances/<int:wid>/suspend                        --------- Lnffbfbff
instances/<int:wid>/resume                         --------- Lnffbfbff
instances/<int:wid>/rematch                        --------- Lnffbfbff
instances/<int:wid>/repair                         --------- Lnffbfbff
instances/<int:wid>/repair/preview                 --------- Lnffbfbff
instances/<int:wid>/jobs/<int:job>/retry           --------- Lnffbfbff
instances/<int:wid>/jobs/<int:job>/release         --------- Lnffbfbff
instances/<int:wid>/jobs/<int:job>/withdraw        --------- Lnffbfbff
instances/<int:wid>/jobs/<int:job>/priority        --------- Lnffbfbff
instances/<int:wid>/jobs/<int:job>/extend          --------- Lnffbfbff
instances/<int:wid>/jobs/<int:job>/reassign        --------- Lnffbfbff
instances/<int:wid>/jobs/<int:job>/children        --------- Lnffbfbff
tasks                                              Lyyyyyyyy ---------
tasks/next                                         --------- Lbbbbbbbb
tasks/<int:task>                                   Lnyyyyyyy ---------
tasks/<int:task>/take                              --------- Lnfffffff
tasks/<int:task>/start                             --------- Lnfffffff
tasks/<int:task>/complete                          --------- Lnfffffff
tasks/<int:task>/fail                              --------- Lnfffffff
tasks/<int:task>/aside                             --------- Lnfffffff
moves                                              Lyyyyyyyy fffffffff
offline/devices                                    --------- Lbbbbbbbb
offline/tasks                                      Lbbbbbbbb ---------
offline/packages/<int:task>                        Lnbbbbbbb ---------
offline/results                                    Lbbbbbbbb Lbbbbbbbb
tasks/<int:task>/release                           --------- Lnffbfbff
tasks/<int:task>/give                              --------- Lnffbfbff
flows/<slug:name>/tasks                            Lnyyyyyyy ---------
flows/<slug:name>/tasks/load                       Lnffyfyff ---------
cases                                              Lyyyyyyyy ---------
cases/groups                                       Lyyyyyyyy ---------
cases/report                                       Lyyyyyyyy ---------
cases/next                                         --------- Lfffbfbff
cases/<int:case>                                   Lnyyyyyyy ---------
cases/<int:case>/suggestions                       Lnyyyyyyy ---------
cases/<int:case>/rule                              Lnyyyyyyy ---------
cases/<int:case>/rule/draft                        --------- Lnfcffccf
cases/<int:case>/claim                             --------- Lnffbfbff
cases/<int:case>/release                           --------- Lnffcfcff
cases/<int:case>/comment                           --------- Lnffbfbff
cases/<int:case>/wait                              --------- Lnffbfbff
cases/<int:case>/files                             Lnyyyyyyy Lnffbfbff
cases/<int:case>/files/<int:file>                  Lnyyyyyyy ---------
cases/<int:case>/change                            --------- Lnffbfbff
instances/<int:wid>/repair/propose                 --------- Lnffbfbff
flows/<slug:name>/repairs                          --------- Lnffbfbff
flows/<slug:name>/repairs/preview                  --------- Lnffbfbff
repairs/<int:bulk>                                 Lnyyyyyyy ---------
repairs/<int:bulk>/instances                       Lnyyyyyyy ---------
repairs/<int:bulk>/withdraw                        --------- Lnffyfyff
proposals                                          Lyyyyyyyy ---------
proposals/<int:proposal>                           Lnyyyyyyy ---------
proposals/<int:proposal>/approve                   --------- Lnbbbbbbb
proposals/<int:proposal>/reject                    --------- Lnbbbbbbb
proposals/<int:proposal>/withdraw                  --------- Lnfffffff
views                                              Lyyyyyyyy Lbbbbbbbb
views/<int:view>                                   --------- ---------
"""

# The admin pages of one model. Its bare URL only redirects to the page `change/`.
DESIGNED = """
                                                   Lnyyyyyyy ---------
add/                                               LLLyLfyLL LLLyLfyLL
<path:object_id>/history/                          LLLyLfyLL LLLyLfyLL
<path:object_id>/delete/                           LLLyLfyLL LLLyLfyLL
<path:object_id>/change/                           LLLyLfyLL LLLyLfyLL
<path:object_id>/                                  LLLyLyyLL LLLyLyyLL
"""
# Only the kernel writes these: rows cannot be added, changed or deleted.
OBSERVED = """
                                                   LLLfLfyLL LLLfLfyLL
add/                                               LLLfLffLL LLLfLffLL
<path:object_id>/history/                          LLLfLfyLL LLLfLfyLL
<path:object_id>/delete/                           LLLfLffLL LLLfLffLL
<path:object_id>/change/                           LLLfLfyLL LLLfLffLL
<path:object_id>/                                  LLLyLyyLL LLLyLyyLL
"""
PEOPLE = """
                                                   LLLfLfyLL LLLfLfyLL
add/                                               LLLfLfyLL LLLfLfyLL
<path:object_id>/history/                          LLLfLfyLL LLLfLfyLL
<path:object_id>/delete/                           LLLfLfyLL LLLfLfyLL
<path:object_id>/change/                           LLLfLfyLL LLLfLfyLL
<path:object_id>/                                  LLLyLyyLL LLLyLyyLL
"""
# Written by a library: rows are viewed and deleted, but not added.
LIBRARY = """
                                                   LLLfLfyLL LLLfLfyLL
add/                                               LLLfLffLL LLLfLffLL
<path:object_id>/history/                          LLLfLfyLL LLLfLfyLL
<path:object_id>/delete/                           LLLfLfyLL LLLfLfyLL
<path:object_id>/change/                           LLLfLfyLL LLLfLfyLL
<path:object_id>/                                  LLLyLyyLL LLLyLyyLL
"""
MODELS = {
    "flows/flow": DESIGNED,
    "flows/instance": OBSERVED,
    "flows/job": OBSERVED,
    "flows/traceentry": OBSERVED,
    "flows/joblog": OBSERVED,
    "flows/conditionerror": OBSERVED,
    "flows/workerprocess": OBSERVED,
    "auth/user": PEOPLE,
    "auth/group": PEOPLE,
    "axes/accessattempt": LIBRARY,
    "axes/accesslog": LIBRARY,
    "axes/accessfailurelog": LIBRARY,
    "django_q/schedule": LIBRARY,
    "django_q/success": LIBRARY,
    "django_q/failure": LIBRARY,
}

# One word each: `y` opened, `L` closed as signed out, `n` closed as not found.
LIVE_CONNECTIONS = """
ws/                                                Lyyyyyyyy
ws/flows/<slug:name>/                              Lnyyyyyyy
ws/instances/<int:wid>/                            Lnyyyyyyy
                                                   nnnnnnnnn
"""


def rows(table: str, prefix: str = "") -> Iterator[tuple[str, list[str]]]:
    """Yield the route and the letters of each row of a table."""
    for line in table.strip("\n").splitlines():
        route, letters = line[:51].strip(), line[51:].split()
        yield prefix + route, letters


@functools.cache
def urls() -> dict[str, tuple[str, str]]:
    """Return the expected answers to GET and POST for each route of the site."""
    found = dict(rows(URLS)) | dict(rows(API, "api/v1/"))
    for model, table in MODELS.items():
        found |= dict(rows(table, f"admin/{model}/"))
    return {route: (get, post) for route, (get, post) in found.items()}


@functools.cache
def answers(role: str) -> dict[str, tuple[str, str]]:
    """Return the expected answers to GET and POST of a role for each route of the site."""
    column = ROLES.index(LIKE.get(role, role))
    found = {route: (get[column], post[column]) for route, (get, post) in urls().items()}
    return found | ANSWERS.get(role, {})


def live_connections() -> dict[str, str]:
    """Return the expected answer to opening each route of a live connection."""
    return {route: word for route, (word,) in rows(LIVE_CONNECTIONS)}
