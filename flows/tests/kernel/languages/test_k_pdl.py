"""PDL as flows: the process Manutencao, latched dependencies, and processes that end early (T-031, T-092)."""

from __future__ import annotations

import pytest

from flows import api
from flows.languages.pdl import BadPdl, compile_workflow, read
from flows.tests.children import children, go
from flows.tests.kit import Kit, broken, refused
from flows.tests.pdl.pdl import MANUAL, compiled, perform, publish, states, texts
from flows.tests.people import PERSON, is_task, take

pytestmark = [pytest.mark.kernel, pytest.mark.mode("single", reason="no job is taken in a mode")]


def manutencao(kit: Kit) -> int:
    definition = compile_workflow(read(texts())[0]).compiled.definition
    api.flows.publish(kit.name, definition, conn=kit.conn)
    return kit.start(instance_name="Manutencao_001")


def test_t225_manutencao_runs_to_its_end_along_both_branches(kit: Kit) -> None:
    for order in (("armazenar", "enviar"), ("enviar", "armazenar")):
        wid = manutencao(kit)
        assert kit.jobs(wid) == ["criar_ordem_servico"]
        assert perform(kit, "criar_ordem_servico", wid, ordem_servico={"name": "1.txt"}) == "R"
        perform(kit, "visitar_cliente", wid)
        assert kit.jobs(wid) == ["gerar_ordem_pagamento"]
        perform(kit, "gerar_ordem_pagamento", wid, ordem_pagamento={"name": "2.txt"})
        assert kit.jobs(wid) == ["armazenar_debito_cliente", "enviar_ordem_pagamento"]
        full = {"armazenar": "armazenar_debito_cliente", "enviar": "enviar_ordem_pagamento"}
        assert [perform(kit, full[each], wid) for each in order] == ["R", "F"]
        assert kit.state(wid)["instance_name"] == "Manutencao_001"
    assert broken(kit) == []


def test_t031_a_leaf_stays_true_when_what_failed_is_retried(kit: Kit) -> None:
    made = publish(
        kit, "a: m { }", "c: m { DEPENDS a -> READY; }", "b: m { DEPENDS AND(a -> FAILED, c -> SUCCEEDED); }"
    )
    wid = kit.start()
    assert kit.jobs(wid) == ["a", "c"]
    perform(kit, "a", wid, fails=True)
    assert perform(kit, "c", wid, fails=True) == "E", "no rule reads that c failed (T-128)"
    api.repairs.repair(wid, "patch", {"changes": {"a": "READY", "c": "READY"}}, "Both again.", conn=kit.conn)
    perform(kit, "a", wid)
    assert states(kit, wid, made) == {"a": "SUCCEEDED", "b": "NOT_READY", "c": "READY"}
    perform(kit, "c", wid)
    assert kit.jobs(wid) == ["b"]
    assert perform(kit, "b", wid) == "F"


def test_t092_a_process_ends_although_branches_never_ran(kit: Kit) -> None:
    made = publish(
        kit,
        "visit: m { }",
        "pay: m { DEPENDS visit -> SUCCEEDED; }",
        "complain: m { DEPENDS visit -> FAIL; }",
        "close: m { DEPENDS AND(pay -> SUCCEEDED, complain -> SUCCEEDED); }",
    )
    wid = kit.start()
    perform(kit, "visit", wid)
    assert kit.jobs(wid) == ["pay"]
    assert perform(kit, "pay", wid) == "F"
    assert states(kit, wid, made)["close"] == states(kit, wid, made)["complain"] == "NOT_READY"
    other = kit.start()
    perform(kit, "visit", other, fails=True)
    assert kit.jobs(other) == ["complain"]
    assert perform(kit, "complain", other) == "F"
    assert broken(kit) == []


def test_t128_a_failure_that_no_rule_reads_is_an_exception_when_the_rest_has_ended(kit: Kit) -> None:
    publish(kit, "a: m { }", "b: m { }")
    wid = kit.start()
    assert perform(kit, "a", wid, fails=True) == "R"
    assert perform(kit, "b", wid) == "E"
    api.repairs.repair(wid, "patch", {"changes": {"a": "READY"}}, "Again.", conn=kit.conn)
    assert perform(kit, "a", wid) == "F"


def test_a_rule_that_reads_running_waits_until_a_person_takes_the_task(kit: Kit) -> None:
    made = publish(kit, "a: m { }", "c: m { }", "b: m { DEPENDS AND(a -> RUNNING, c -> SUCCEEDED); }")
    wid = kit.start()
    assert kit.jobs(wid) == ["a", "c"]
    task = kit.pending(wid)[0].id
    take(kit, task)
    take(kit, task)
    assert [row.trw for row in kit.trace(wid)] == ["_INIT", "_TAKE"] and kit.trace(wid)[1].actor == PERSON
    api.tasks.release(task, PERSON, conn=kit.conn)
    perform(kit, "c", wid)
    assert states(kit, wid, made) == {"a": "READY", "b": "READY", "c": "SUCCEEDED"}, "it stays true"
    perform(kit, "b", wid)
    assert perform(kit, "a", wid) == "F" and broken(kit) == []


def test_t064_used_up_attempts_are_a_failure_where_a_rule_reads_it(kit: Kit) -> None:
    made = publish(kit, "a: auto { }", "b: m { DEPENDS a -> FAIL; }")
    wid = kit.start()
    kit.fail("a", wid)
    kit.clock("1 hour")
    found = kit.fail("a", wid, "The printer is broken.")
    assert found is not None and not found.parked
    assert states(kit, wid, made) == {"a": "FAILED", "b": "READY"} and kit.jobs(wid) == ["b"]
    assert "The printer is broken." in kit.trace(wid)[1].reason
    assert perform(kit, "b", wid) == "F" and broken(kit) == []


def test_t033_who_performs_a_task_until_when_and_with_what(kit: Kit) -> None:
    definition = compile_workflow(read(texts())[0]).compiled.definition
    found = {each["name"]: each for each in definition["triggers"] if not each.get("final")}
    assert {name: each["role"] for name, each in found.items() if each["performer"] == "person"} == {
        "criar_ordem_servico": "Atendente", "visitar_cliente": "Tecnico",
        "enviar_ordem_pagamento": "Office_boy",
    }  # fmt: skip
    task = found["criar_ordem_servico"]
    assert (task["deadline"], task["timeout"], task["offline"]) == ("48 hours", None, True)
    assert (found["gerar_ordem_pagamento"]["timeout"], "deadline" in found["gerar_ordem_pagamento"]) == (
        "24 hours", False,
    )  # fmt: skip
    assert "application" not in task, "a program on a machine is no link"
    here = "/n/gnu/emacs/bin/emacs"
    linked = [each.text.replace(here, "https://office.example/edit") for each in texts()]
    made = compile_workflow(read("\n".join(linked))[0]).compiled.definition["triggers"]
    assert {each.get("application") for each in made} == {None, "https://office.example/edit"}
    wid = manutencao(kit)
    assert is_task(kit, kit.pending(wid)[0].id)


def test_a_ready_task_whose_running_is_read_is_begun_by_the_database_if_it_is_automatic(kit: Kit) -> None:
    publish(kit, "a: auto { }", "b: m { DEPENDS a -> RUNNING; }")
    assert kit.jobs(kit.start()) == ["a", "b"]


def test_t064_retries_are_the_attempts_after_the_first_one(kit: Kit) -> None:
    publish(kit, "a: auto { }")
    wid = kit.start()
    found = kit.fail("a", wid)
    assert found is not None and not found.parked
    kit.clock("1 hour")
    found = kit.fail("a", wid)
    assert found is not None and found.parked, "RETRIES 1: two attempts"


def test_t048_a_task_writes_only_its_out_context_and_its_state(kit: Kit) -> None:
    text = (
        'WORKFLOW w { STRING s { VALUE "one"; } NUMBER n { VALUE 3.14; } QUERY q { DATABASE "d"; '
        'EXPRESSION "select 1"; } TASK a: m { IN_CONTEXT n, q; OUT_CONTEXT s; } }' + MANUAL
    )
    api.flows.publish(kit.name, compile_workflow(read(text)[0]).compiled.definition, conn=kit.conn)
    wid = kit.start()
    assert (kit.state(wid)["s"], kit.state(wid)["n"]) == ("one", 3.14)
    assert kit.state(wid)["q"] == {"database": "d", "expression": "select 1"}
    with refused("WD210"):
        perform(kit, "a", wid, n=4)
    assert perform(kit, "a", wid, s="two") == "F"


def test_a_row_of_a_query_with_parameters_is_chosen(kit: Kit) -> None:
    """The query is about the instances of a flow, and reads what was typed."""
    clients = f"{kit.name}_c"
    attributes = [{"name": name} for name in ("code", "name", "town")]
    definition = {"attributes": attributes, "triggers": [{"predicate": "code is not null", "final": True}]}
    api.flows.create(clients, conn=kit.conn)
    api.flows.publish(clients, definition, conn=kit.conn)
    for number, town in enumerate(("Rio", "Recife", "Rio")):
        state = {"code": f"C{number}", "name": f"Client {number}", "town": town}
        api.instances.start(clients, state, conn=kit.conn)
    text = (
        f'WORKFLOW w {{ STRING Town {{ VALUE "Rio"; }} QUERY Client {{ DATABASE "flow:{clients}"; '
        'EXPRESSION "SELECT code, name WHERE town = my_town"; } '
        "TASK a: m { IN_CONTEXT Town; OUT_CONTEXT Town, Client; } TASK b: m { DEPENDS a -> SUCCEEDED; "
        "IN_CONTEXT Client; } }" + MANUAL
    )
    api.flows.publish(kit.name, compile_workflow(read(text)[0]).compiled.definition, conn=kit.conn)
    wid = kit.start()
    (task,) = api.tasks.of_instance(wid, conn=kit.conn)

    def offered(**typed: str) -> list[tuple[str, list[str]]]:
        found = api.task_forms.choices(task.job_id, "client", typed, conn=kit.conn)["items"]
        return [(one["value"], one["texts"]) for one in found]

    assert offered() == [("C2", ["Client 2"]), ("C0", ["Client 0"])]
    assert offered(town="Recife") == [("C1", ["Client 1"])]
    with refused("WD595") as why:
        perform(kit, "a", wid, client="C1")
    assert why.facts["wrong"] == {"client": "row"}
    assert perform(kit, "a", wid, client="C2") == "R" and kit.jobs(wid) == ["b"]
    api.flows.drop(clients, force=True, conn=kit.conn)


@pytest.mark.parametrize(("end", "state"), [("run", "SUCCEEDED"), ("cancel", "FAILED")])
def test_t059_a_sub_workflow_is_a_child_instance(kit: Kit, end: str, state: str) -> None:
    made = compiled(
        "a: m { }",
        "SUB-WORKFLOW s: OrderOfParts { DEPENDS a -> SUCCEEDED; }",
        "b: m { DEPENDS OR(s -> SUCCEEDED, s -> FAIL); }",
    )
    definition = made.compiled.definition
    starting = next(each for each in definition["triggers"] if "child" in each)
    assert starting["child"] == "order_of_parts"
    # The children of this test are of the same flow, and begin with b.
    starting |= {"child": kit.name, "child_set": ["a = 'SUCCEEDED'", "s = 'SUCCEEDED'"]}
    api.flows.publish(kit.name, definition, conn=kit.conn)
    wid = kit.start()
    perform(kit, "a", wid)
    go(kit)
    (child,) = children(kit, wid)
    assert (states(kit, wid, made)["s"], kit.jobs(wid), kit.jobs(child)) == ("READY", ["s"], ["b"])
    if end == "run":
        assert perform(kit, "b", child) == "F"
    else:
        api.instances.cancel(child, "No longer needed.", conn=kit.conn)
    go(kit)
    assert states(kit, wid, made)["s"] == state
    assert perform(kit, "b", wid) == "F"
    assert broken(kit) == []


def test_each_name_of_a_text_becomes_one_that_the_kernel_accepts(kit: Kit) -> None:
    made = publish(
        kit,
        "select: m { }",
        "Select: m { DEPENDS select -> SUCCEEDED; }",
        "user: m { }",
        "finished: m { }",
        "children: m { }",
        "Ção-2: m { DEPENDS user -> FAIL; }",
    )
    assert len(set(made.names.values())) == 6 and made.names["Ção-2"] == "cao_2"
    assert len(kit.jobs(kit.start())) == 4


def test_a_workflow_of_two_hundred_and_forty_tasks_is_a_flow(kit: Kit) -> None:
    tasks = ["t0: m { }", *(f"t{n}: m {{ DEPENDS t{n - 1} -> SUCCEEDED; }}" for n in range(1, 240))]
    publish(kit, *tasks)
    wid = kit.start()
    perform(kit, "t0", wid)
    assert kit.jobs(wid) == ["t1"]
    with pytest.raises(BadPdl, match="has 241 activities; a flow is made of at most 240"):
        compiled(*tasks, "u: m { }")
