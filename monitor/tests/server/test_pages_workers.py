"""Pages show which transitions no worker serves, and what workers cannot load."""

from __future__ import annotations

from django.test import Client

from monitor.tests.conftest import Parcels, client_of, get, person, text_of


def test_a_transition_without_worker_is_reported(alice: Client, parcels: Parcels) -> None:
    parcels.start()
    page = f"/flows/{parcels.flow}/"
    assert "No worker has registered for Pack it" in text_of(get(alice, page))
    worker = parcels.connection.execute(
        "select wedsql.register_worker('cluster', 'packer', 'here', 1, %s)", [[f"{parcels.flow}:tr_pack"]]
    ).fetchone()
    assert worker is not None
    shown = text_of(get(alice, page))
    assert "for Pack it" not in shown and "for tr_send" in shown
    parcels.connection.execute(
        "update wedsql.worker set seen_at = wedsql.now() - interval '31 s' where id = %s", worker
    )
    assert "No worker for Pack it since" in text_of(get(alice, page))
    listed = text_of(get(alice, "/workers/"))
    assert "packer" in listed and f"{parcels.flow}:tr_pack" in listed and "silent" in listed
    parcels.connection.execute("select wedsql.unregister_worker(%s)", worker)


def test_the_list_of_workers_continues_after_a_number_that_is_larger_than_an_integer(
    alice: Client, parcels: Parcels
) -> None:
    register = "select wedsql.register_worker('cluster', 'packer', 'here', 1, %s)"
    (worker,) = parcels.connection.execute(register, [[f"{parcels.flow}:tr_pack"]]).fetchone() or (0,)
    assert "packer" in text_of(get(alice, f"/workers/?after={worker - 1}"))
    assert "packer" not in text_of(get(alice, f"/workers/?after={2**40}"))
    parcels.connection.execute("select wedsql.unregister_worker(%s)", [worker])


def test_who_sees_no_flow_does_not_read_that_no_worker_runs(alice: Client, parcels: Parcels) -> None:
    stranger = client_of(person("stranger"))
    assert "No worker serves a flow that you see." in text_of(get(stranger, "/workers/"))
    assert "Start the worker cluster" in text_of(get(alice, "/workers/"))


def test_what_workers_cannot_load_is_shown_to_those_who_see_every_flow(
    alice: Client, carol: Client, parcels: Parcels
) -> None:
    row = parcels.connection.execute(
        "select wedsql.register_worker('cluster', 'packer', 'here', 1, %s)", [[f"{parcels.flow}:tr_pack"]]
    ).fetchone()
    assert row is not None
    text = 'broken.transitions: File "/srv/<app>/transitions.py", line 1'
    parcels.connection.execute("select wedsql.report_problems(%s, %s)", [row[0], text])
    shown = get(alice, "/workers/")
    assert "Repair them and restart the workers: packer" in text_of(shown)
    assert "/srv/&lt;app&gt;/transitions.py" in shown
    assert "transitions.py" not in get(carol, "/workers/")
    parcels.connection.execute("select wedsql.unregister_worker(%s)", row)
    assert "transitions.py" not in get(alice, "/workers/")


def test_a_flow_that_is_not_in_use_warns_of_no_missing_worker(alice: Client, parcels: Parcels) -> None:
    page = f"/flows/{parcels.flow}/"
    sent = parcels.start()
    parcels.send(sent)  # no running instance, no pending job
    row = get(alice, "/").split(f'id="flow-{parcels.flow_id}"')[1].split("</tr>")[0]
    assert "not in use" in row and "without a worker" not in row
    shown = get(alice, page)
    assert "note-warning" not in shown and "Not in use: no instance lives" in text_of(shown)
    banner, idle = get(alice, "/workers/").split('data-part="idle"')
    assert parcels.flow not in banner and parcels.flow in idle
    parcels.start()
    banner, idle = get(alice, "/workers/").split('data-part="idle"')
    assert parcels.flow in banner and parcels.flow not in idle
    assert "3 transitions without a worker" in text_of(get(alice, "/"))


def test_many_transitions_without_worker_are_one_short_note(alice: Client, parcels: Parcels) -> None:
    parcels.start()
    parcels.connection.execute(
        "insert into wedsql.trig (flow_id, tgname, trname, cname, cpred)"
        " values (%s, 'g_lose', 'tr_lose', 'c_lost', $$stage = 'lost'$$)",
        [parcels.flow_id],
    )
    page = get(alice, f"/flows/{parcels.flow}/")
    assert "4 transitions have no worker now:" in text_of(page) and page.count(">no worker<") == 4


def test_a_hundred_transitions_do_not_hide_the_instances(alice: Client, parcels: Parcels) -> None:
    parcels.start(pieces=99)
    assert "<details>" not in get(alice, f"/flows/{parcels.flow}/").split("<main")[1]
    parcels.connection.execute(
        "insert into wedsql.trig (flow_id, tgname, trname, cname, cpred)"
        " select %s, 'g' || n, 'tr_' || n, 'c' || n, 'pieces = ' || n from generate_series(1, 12) n",
        [parcels.flow_id],
    )
    page = get(alice, f"/flows/{parcels.flow}/").split("<main")[1]
    assert page.count("<details>") == 2 and "15 transitions, 2 pending" in text_of(page)


def test_what_workers_serve_in_vain_is_shown(alice: Client, carol: Client, parcels: Parcels) -> None:
    register = "select wedsql.register_worker('cluster', 'packer', 'here', 1, %s)"
    served = [f"{parcels.flow}:tr_pakc", f"{parcels.flow}:tr_send", "elsewhere:tr_pakc"]
    worker = parcels.connection.execute(register, [served]).fetchone()
    found = text_of(get(alice, "/workers/"))
    assert "never get a job of them" in found and "elsewhere:tr_pakc" in found
    assert f"{parcels.flow}:tr_pakc Did you mean tr_pack? packer" in found
    limited = text_of(get(carol, "/workers/"))
    assert "Did you mean tr_pack?" in limited and "elsewhere" not in limited and "packer" not in limited
    parcels.connection.execute("select wedsql.unregister_worker(%s)", worker)
    assert f"{parcels.flow}:tr_pakc" not in text_of(get(alice, "/workers/"))
