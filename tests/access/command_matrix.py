"""The answer to each role of the database from each command."""

from __future__ import annotations

from tests.access.matrix import rows

# A command has no signed-in user: its rights are those of its connection's database role. A letter is the
# answer for a role of DATABASE_ROLES: `y` done, `f` rejected by the database.
DATABASE_ROLES = ("wed", "wed_web", "wed_worker", "wed_reaper", "wed_monitor")
COMMANDS = """
flow                                               yyfff
createflow                                         yyfff
loadflow                                           yyfff
signal                                             yyffy
importgraph                                        yyfff
workerkey                                          yyfff
importbpmn                                         yyfff
importpdl                                          yyfff
startinstance                                      yyyff
bulk                                               yyfff
operate                                            yyfff
repair                                             yyfff
alerts                                             yyfff
webhooks                                           yyfff
sla                                                yyfff
cases                                              yyfff
tasks                                              yyfff
devices                                            yyfff
moves                                              yyfff
caselinks                                          yyfff
flowrole                                           yffff
flowgroups                                         yyfff
flowindex                                          yyfff
flowdraft                                          yyfff
wsql                                               yyfff
archive                                            yffyf
removefactor                                       yyfff
apitoken                                           yyfff
loaddemo                                           yffff
"""
# These change nothing in the database, or start other programs and have tests of their own.
READING = (
    "apiclient",
    "children",
    "controls",
    "dumpflow",
    "explain",
    "exportbpmn",
    "exportpdl",
    "flowdiff",
    "flowimpact",
    "flowlint",
    "flowtest",
    "flowwhatif",
    "flows",
    "graph",
    "invariants",
    "jobs",
    "locks",
    "readarchive",
    "trace",
    "makeflowmigrations",
)
PROGRAMS = ("qcluster", "simulate", "wedsql", "wedworker")


def commands() -> dict[str, str]:
    """Return the expected answer to each database role for each command that changes something."""
    return {name: word for name, (word,) in rows(COMMANDS)}
