"""What each role gets at each address, each live line and from each command.

A column is a role, in the order of ROLES. A letter is the answer: `y` served, `L` asked to log in, `n` not
found, `f` forbidden, `-` not a method of this address. The first word is for GET, the second for POST.
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
"""

# The pages of one model in the admin. Its bare address leads to the page `change/` and says nothing.
DESIGNED = """
                                                   LLLyLfy LLLyLfy
add/                                               LLLyLfy LLLyLfy
<path:object_id>/history/                          LLLyLfy LLLyLfy
<path:object_id>/delete/                           LLLyLfy LLLyLfy
<path:object_id>/change/                           LLLyLfy LLLyLfy
<path:object_id>/                                  LLLyLyy LLLyLyy
"""
# Only the kernel writes these: nobody adds, changes or deletes a row.
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
# Written by a library: rows are looked at and deleted, and nobody adds one.
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

# A command knows no signed-in user: it may do what the database role of its connection may do. A letter is
# the answer to a role of DATABASE_ROLES: `y` done, `f` refused by the database.
DATABASE_ROLES = ("wed", "wed_web", "wed_worker", "wed_reaper", "wed_monitor")
COMMANDS = """
createflow                                         yyfff
loadflow                                           yyfff
startinstance                                      yyyff
flowrole                                           yffff
archive                                            yffyf
removefactor                                       yyfff
loaddemo                                           yffff
"""
# These change nothing in the database, or are programs that start others and are tried as such elsewhere.
READING = ("dumpflow", "flows", "invariants", "jobs", "readarchive", "trace", "makeflowmigrations")
PROGRAMS = ("simulate", "wedsql", "wedworker")


def rows(table: str, prefix: str = "") -> Iterator[tuple[str, list[str]]]:
    """Read a table: the route of each row and its words."""
    for line in table.strip("\n").splitlines():
        route, words = line[:51].strip(), line[51:].split()
        yield prefix + route, words


def urls() -> dict[str, tuple[str, str]]:
    """Return for each route of the site what GET and POST are answered with."""
    found = dict(rows(URLS))
    for model, table in MODELS.items():
        found |= dict(rows(table, f"admin/{model}/"))
    return {route: (get, post) for route, (get, post) in found.items()}


def lines() -> dict[str, str]:
    """Return for each route of a live line what opening it is answered with."""
    return {route: word for route, (word,) in rows(LINES)}


def commands() -> dict[str, str]:
    """Return for each command that changes something what the database answers to each of its roles."""
    return {name: word for name, (word,) in rows(COMMANDS)}
