"""What PDL tolerates and what is wrong with it: the tables of docs/pdl.md, each row a text that shows it."""

from __future__ import annotations

from flows.tests.pdl.pdl import AUTOMATIC, MANUAL, workflow

_AUTO = "TYPE AUTOMATIC; APPLICATION app; PRIORITY 1; DISCONNECTED_OPERATION FALSE; "
_APP = 'FILENAME "/bin/true"; SIZE 1; OS "Linux"; CPU "any"; '


def _model(clauses: str, more: str = "") -> str:
    return workflow("a: m { ROLE r; }", models=f"TASK m {{ {clauses} }}\n" + AUTOMATIC + more)


def _application(clauses: str) -> str:
    return workflow("a: auto { }", models=f"TASK auto {{ {_AUTO} }} APPLICATION app {{ {clauses} }}")


def _with(data: str, *tasks: str) -> str:
    return workflow(*tasks).replace("{\n", f"{{\n  {data}\n", 1)


SPELLINGS: dict[str, tuple[str, str]] = {
    "words in any case": ("`task`, `Automatic`, `true`", workflow("a: m { role r; }")),
    "`-` and `_` are the same in words": (
        "`Semi-automatic`",
        _model("TYPE SEMI-AUTOMATIC; APPLICATION app; PRIORITY 1; DISCONNECTED_OPERATION FALSE;"),
    ),
    "`FAILED` for `FAIL`": (
        "`A -> FAILED`",
        workflow("a: m { ROLE r; }", "b: m { DEPENDS AND (a -> FAILED); ROLE r; }"),
    ),
    "`SELECTED` and `LOCKED` in rules, read as `RUNNING`": (
        "`A -> SELECTED`",
        workflow("a: m { ROLE r; }", "b: m { DEPENDS AND (a -> LOCKED); ROLE r; }"),
    ),
    "a rule of one term without an operator": (
        "`DEPENDS A -> SUCCEEDED;`",
        workflow("a: m { ROLE r; }", "b: m { DEPENDS a -> SUCCEEDED; ROLE r; }"),
    ),
    "`DEPENDS` without a rule": ("`DEPENDS;`", workflow("a: m { DEPENDS; ROLE r; }")),
    "clauses in another order": (
        "`ROLE` before `IN_CONTEXT`",
        _with('STRING s { VALUE ""; }', "a: m { ROLE r; OUT_CONTEXT s; }"),
    ),
    "no `;` after the last clause": ('`DESCRIPTION "..." }`', workflow("a: m { ROLE r }")),
    "a `;` too many": ("`};`", workflow("a: m { ROLE r;; }")),
    "`NAME` for `FILENAME`": (
        '`NAME "/bin/sop";`',
        _application(_APP.replace("FILENAME", "NAME") + 'HOSTS "a";'),
    ),
    "`INSTALLER` without a text": ("`INSTALLER;`", _application(_APP + 'INSTALLER; HOSTS "a";')),
    "a number with a fraction": (
        "`VALUE 3.14;`",
        _with("NUMBER n { VALUE 3.14; }", "a: m { OUT_CONTEXT n; ROLE r; }"),
    ),
    "no `PRIORITY`, read as 0": ("`TYPE MANUAL;`", _model("TYPE MANUAL; DISCONNECTED_OPERATION FALSE;")),
    "no `DISCONNECTED_OPERATION`, read as `FALSE`": ("`TYPE MANUAL;`", _model("TYPE MANUAL; PRIORITY 1;")),
}
"""What is tolerated: an example of it for people, and a text whose only problem it is."""

ERRORS: dict[str, str] = {
    "syntax": workflow("a: m { ROLE r; DEPENDS AND(b -> SUCCEDED); }", "b: m { ROLE r; }"),
    "unclosed_text": workflow('a: m { DESCRIPTION "no end; }'),
    "unclosed_block": workflow("a: m { ROLE r; }") + "TASK n {",
    "missing_brace": workflow("a: m { ROLE r;", "b: m { ROLE r; }"),
    "extra_brace": workflow("a: m { ROLE r; }") + "}",
    "no_block": "ROLE r;\n" + workflow("a: m { ROLE r; }"),
    "missing_clause": _model("PRIORITY 1; DISCONNECTED_OPERATION FALSE;"),
    "doubled_clause": workflow("a: m { ROLE r; ROLE s; }"),
    "bad_number": _model("TYPE MANUAL; PRIORITY 99999; DISCONNECTED_OPERATION FALSE;"),
    "too_deep": workflow("a: m { ROLE r; }", f"b: m {{ DEPENDS {'AND(' * 51}a -> FAIL{')' * 51}; }}"),
    "bad_character": workflow("a: m { ROLE r; }") + "\0",
    "doubled_id": workflow("a: m { ROLE r; }", "a: m { ROLE r; }"),
    "unknown_id": workflow("a: n { ROLE r; }", "b: m { DEPENDS AND (c -> FAIL); IN_CONTEXT d; ROLE r; }"),
    "no_tasks": workflow(),
    "no_start": workflow(
        "a: m { DEPENDS AND (b -> FAIL); ROLE r; }", "b: m { DEPENDS AND (a -> FAIL); ROLE r; }"
    ),
    "cycle": workflow(
        "a: m { ROLE r; }",
        "b: m { DEPENDS OR (c -> FAIL, a -> FAIL); ROLE r; }",
        "c: m { DEPENDS AND (b -> FAIL); ROLE r; }",
    ),
    "unreachable": workflow(
        "a: m { ROLE r; }",
        "b: m { DEPENDS AND (b -> FAIL); ROLE r; }",
        "c: m { DEPENDS AND (b -> FAIL); ROLE r; }",
    ),
    "never_true": workflow("a: m { ROLE r; }", "b: m { DEPENDS OR (a -> FAIL, a -> NOT_READY); ROLE r; }"),
    "no_application": _model("TYPE AUTOMATIC; PRIORITY 1; DISCONNECTED_OPERATION FALSE;"),
    "manual_application": _model("TYPE MANUAL; APPLICATION app; PRIORITY 1; DISCONNECTED_OPERATION FALSE;"),
    "retries": _model("TYPE MANUAL; PRIORITY 1; DISCONNECTED_OPERATION FALSE; RETRIES 2;"),
    "offline_automatic": _model("TYPE AUTOMATIC; APPLICATION app; PRIORITY 1; DISCONNECTED_OPERATION TRUE;"),
    "no_host": _application(_APP + 'HOSTS "";'),
    "bad_query": 'WORKFLOW w { QUERY q { DATABASE "flow:f"; EXPRESSION "select *"; } '
    "TASK a: m { IN_CONTEXT q; OUT_CONTEXT q; ROLE r; } }" + MANUAL,
}
"""What is wrong, by the code of the problem: a text that has it."""

_OFFLINE = "TYPE MANUAL; PRIORITY 1; DISCONNECTED_OPERATION TRUE;"
_FIVE = [f"t{n}: m {{ IN_CONTEXT s; OUT_CONTEXT s; ROLE r; }}" for n in range(5)]

WARNINGS: dict[str, str] = {
    "no_role": workflow("a: m { }"),
    "role_ignored": workflow("a: auto { ROLE r; }"),
    "both_outcomes": workflow(
        "a: m { ROLE r; }", "b: m { DEPENDS AND (a -> FAIL, a -> SUCCEEDED); ROLE r; }"
    ),
    "unused": _with('STRING s { VALUE ""; }', "a: m { ROLE r; }"),
    "never_written": _with('STRING s { VALUE ""; }', "a: m { IN_CONTEXT s; ROLE r; }"),
    "offline_large": _model(
        "TYPE SEMI_AUTOMATIC; APPLICATION big; PRIORITY 1; DISCONNECTED_OPERATION TRUE;",
        'APPLICATION big { FILENAME "/x"; SIZE 20000; OS "Linux"; CPU "any"; HOSTS "a"; }',
    ),
    "offline_shared": _with('STRING s { VALUE ""; }', *_FIVE).replace(MANUAL, f"TASK m {{ {_OFFLINE} }}"),
    "offline_dependents": workflow(
        "a: m { ROLE r; }",
        *(f"b{n}: m {{ DEPENDS AND (a -> SUCCEEDED); ROLE r; }}" for n in range(4)),
        models=f"TASK m {{ {_OFFLINE} }}",
    ),
}
"""What is reported and does not prevent publishing, by code: a text that has it."""
