"""The answer to each role at each URL, at each live connection and from each command.

A column is a role, in the order of ROLES. A letter is the answer: `y` served, `L` redirected to log in, `n`
not found, `f` forbidden, `-` method not allowed, `b` bad request, as the test sends no content.
The first word is for GET, the second for POST.
"""

from __future__ import annotations

from collections.abc import Iterator

ROLES = ("anonymous", "nobody", "viewer", "designer", "operator", "staff", "superuser")

URLS = """
                                                   Lyyyyyy -------
flows/<slug:name>/                                 Lnyyyyy -------
flows/<slug:name>/jobs/                            Lnyyyyy -------
instances/<int:wid>/                               Lnyyyyy -------
instances/<int:wid>.json                           Lnyyyyy -------
workers/                                           Lyyyyyy -------
health/                                            Lnnynyy -------
health/check/                                      ------- Lnnynyy
live/flows/                                        Lyyyyyy -------
live/flows/<slug:name>/                            Lnyyyyy -------
live/instances/<int:wid>/                          Lnyyyyy -------
theme/                                             ------- yyyyyyy
i18n/setlang/                                      yyyyyyy yyyyyyy
favicon.ico                                        yyyyyyy yyyyyyy
styleguide/                                        nnnnnnn -------
healthz                                            yyyyyyy -------
readyz                                             yyyyyyy -------
metrics                                            yyyyyyy -------
accounts/login/                                    yyyyyyy yyyyyyy
accounts/login/code/                               yyyyyyy yyyyyyy
accounts/login/setup/                              yyyyyyy yyyyyyy
accounts/logout/                                   ------- yyyyyyy
accounts/password/                                 Lyyyyyy Lyyyyyy
accounts/password/done/                            Lyyyyyy L------
accounts/security/                                 Lyyyyyy Lyyyyyy
accounts/security/setup/                           Lyyyyyy Lyyyyyy
admin/                                             LLLyLyy LLLyLyy
admin/login/                                       yyyyyyy yyyyyyy
admin/logout/                                      yyy-y-- yyyyyyy
admin/password_change/                             yyyyyyy yyyyyyy
admin/password_change/done/                        LLLyLyy LLL-L--
admin/autocomplete/                                LLLfLff LLL-L--
admin/jsi18n/                                      LLLyLyy LLL-L--
admin/r/<path:content_type_id>/<path:object_id>/   LLLnLnn LLLnLnn
admin/auth/user/<id>/password/                     LLLfLfy LLLfLfy
admin/flows/flow/<int:flow_id>/picture/            LLLyLny LLL-L--
admin/flows/flow/<int:flow_id>/try/                LLLyLny LLLyLny
admin/flows/flow/conditions/check/                 LLL-L-- LLLbLnb
admin/flows/flow/conditions/completions/           LLLyLny LLL-L--
admin/flows/flow/<int:flow_id>/checks/             LLLyLny LLL-L--
admin/flows/flow/<int:flow_id>/publish/            LLLyLny LLLnLny
admin/flows/flow/<int:flow_id>/publish/impact/     LLLyLny LLL-L--
admin/flows/flow/<int:flow_id>/versions/           LLLyLny LLLyLny
admin/flows/flow/<int:flow_id>/design/             LLLyLny LLLyLny
admin/flows/flow/<int:flow_id>/design/attributes/  LLLyLny LLLyLny
admin/flows/flow/<int:flow_id>/design/settings/    LLLyLny LLLyLny
admin/flows/flow/<int:flow_id>/design/draft/       LLLyLny LLLyLny
admin/flows/flow/new/<slug:name>/design/           LLLyLny LLLyLny
admin/flows/flow/new/<slug:name>/design/attributes/ LLLyLny LLLyLny
admin/flows/flow/new/<slug:name>/publish/          LLLyLny LLLnLny
admin/flows/flow/new/<slug:name>/design/settings/  LLLyLny LLLyLny
admin/flows/flow/new/<slug:name>/design/draft/     LLLyLny LLLyLny
admin/flows/flow/new/                              LLLyLny LLLyLny
"""

# The admin pages of one model. Its bare URL only redirects to the page `change/`.
DESIGNED = """
                                                   LLLyLfy LLLyLfy
add/                                               LLLyLfy LLLyLfy
<path:object_id>/history/                          LLLyLfy LLLyLfy
<path:object_id>/delete/                           LLLyLfy LLLyLfy
<path:object_id>/change/                           LLLyLfy LLLyLfy
<path:object_id>/                                  LLLyLyy LLLyLyy
"""
# Only the kernel writes these: rows cannot be added, changed or deleted.
OBSERVED = """
                                                   LLLfLfy LLLfLfy
add/                                               LLLfLff LLLfLff
<path:object_id>/history/                          LLLfLfy LLLfLfy
<path:object_id>/delete/                           LLLfLff LLLfLff
<path:object_id>/change/                           LLLfLfy LLLfLff
<path:object_id>/                                  LLLyLyy LLLyLyy
"""
PEOPLE = """
                                                   LLLfLfy LLLfLfy
add/                                               LLLfLfy LLLfLfy
<path:object_id>/history/                          LLLfLfy LLLfLfy
<path:object_id>/delete/                           LLLfLfy LLLfLfy
<path:object_id>/change/                           LLLfLfy LLLfLfy
<path:object_id>/                                  LLLyLyy LLLyLyy
"""
# Written by a library: rows are viewed and deleted, but not added.
LIBRARY = """
                                                   LLLfLfy LLLfLfy
add/                                               LLLfLff LLLfLff
<path:object_id>/history/                          LLLfLfy LLLfLfy
<path:object_id>/delete/                           LLLfLfy LLLfLfy
<path:object_id>/change/                           LLLfLfy LLLfLfy
<path:object_id>/                                  LLLyLyy LLLyLyy
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
LINES = """
ws/                                                Lyyyyyy
ws/flows/<slug:name>/                              Lnyyyyy
ws/instances/<int:wid>/                            Lnyyyyy
                                                   nnnnnnn
"""

# A command has no signed-in user: its rights are those of its connection's database role. A letter is the
# answer for a role of DATABASE_ROLES: `y` done, `f` rejected by the database.
DATABASE_ROLES = ("wed", "wed_web", "wed_worker", "wed_reaper", "wed_monitor")
COMMANDS = """
createflow                                         yyfff
loadflow                                           yyfff
startinstance                                      yyyff
flowrole                                           yffff
flowgroups                                         yyfff
flowdraft                                          yyfff
archive                                            yffyf
removefactor                                       yyfff
loaddemo                                           yffff
"""
# These change nothing in the database, or start other programs and have tests of their own.
READING = (
    "dumpflow",
    "flowdiff",
    "flowimpact",
    "flowlint",
    "flows",
    "invariants",
    "jobs",
    "readarchive",
    "trace",
    "makeflowmigrations",
)
PROGRAMS = ("simulate", "wedsql", "wedworker")


def rows(table: str, prefix: str = "") -> Iterator[tuple[str, list[str]]]:
    """Yield the route and the letters of each row of a table."""
    for line in table.strip("\n").splitlines():
        route, letters = line[:51].strip(), line[51:].split()
        yield prefix + route, letters


def urls() -> dict[str, tuple[str, str]]:
    """Return the expected answers to GET and POST for each route of the site."""
    found = dict(rows(URLS))
    for model, table in MODELS.items():
        found |= dict(rows(table, f"admin/{model}/"))
    return {route: (get, post) for route, (get, post) in found.items()}


def lines() -> dict[str, str]:
    """Return the expected answer to opening each route of a live connection."""
    return {route: word for route, (word,) in rows(LINES)}


def commands() -> dict[str, str]:
    """Return the expected answer to each database role for each command that changes something."""
    return {name: word for name, (word,) in rows(COMMANDS)}
