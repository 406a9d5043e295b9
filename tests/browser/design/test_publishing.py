"""Publications in the browser: merged, approved by a second person, made by the reaper, rolled back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from testkit.processes import Processes
from testkit.web import WebServer
from tests.browser.conftest import LogIn, Login, Wait, problems, wait_in

Browser = webdriver.Chrome
Database = psycopg.Connection[Any]

READY = "form.publish button[value=publish]:enabled"
FLOW = """
insert into wed_attr (aname, label) values ('a', 'Payment'), ('b', 'Stock');
insert into wed_trig (tgname, trname, cname, cpred) values ('g', 'tr_g', 'c', $$a is null$$);
insert into wed_trig (cpred, cfinal) values ($$a is not null$$, true);
"""


class Designed(NamedTuple):
    """A flow that was published once, with an address for each of its tabs."""

    name: str
    number: int

    def tab(self, path: str) -> str:
        return f"/admin/flows/flow/{self.number}/{path}"


# Between the words of an age and those of who did it.
GAP = """
const age = document.querySelector("td > time"), words = document.createRange();
words.selectNodeContents(age);
return age.nextElementSibling.getBoundingClientRect().left - words.getBoundingClientRect().right;
"""


@pytest.fixture
def database(connect: Callable[..., Database]) -> Database:
    return connect()


@pytest.fixture
def flow(loaded: Callable[[str], str], database: Database) -> Iterator[Designed]:
    """The flow; its draft and requests are forgotten after the test."""
    name = loaded(FLOW)
    row = database.execute("select id from wedsql.flow where name = %s", [name]).fetchone()
    assert row is not None
    yield Designed(name, row[0])
    # Dropping a flow that needs an approval is for the owner of the kernel.
    database.execute("update wedsql.flow set needs_approval = false where name = %s", [name])
    for table in ("draft", "publication"):
        database.execute(f"delete from wedsql.{table} where flow = %s", [name])


@pytest.fixture
def workers(dsn: str, tmp_path: Path) -> Iterator[Processes]:
    """Processes on the test database."""
    with Processes(dsn, tmp_path) as running:
        yield running


def at(browser: Browser, css: str) -> Any:
    return browser.find_element(By.CSS_SELECTOR, css)


def publish(browser: Browser) -> None:
    """Press the button, which waits for the impact."""
    wait_in(browser, has(READY))
    at(browser, READY).click()


def text(browser: Browser, css: str) -> str:
    return str(at(browser, css).text)


def has(css: str) -> Callable[[Browser], Any]:
    return lambda page: page.find_elements(By.CSS_SELECTOR, css)


def says(words: str) -> Callable[[Browser], bool]:
    return lambda page: words in page.find_element(By.TAG_NAME, "main").text


def save_rule(browser: Browser, server: WebServer, flow: Designed, label: str) -> None:
    """Open the first rule, give it a label, and press Save."""
    browser.get(server.url[:-1] + flow.tab("design/?rule=1"))
    give_label(browser, label)
    at(browser, "#panel button[value=save]").click()
    wait_in(browser, has(".messages .note-success"))


def give_label(browser: Browser, label: str) -> None:
    field = browser.find_element(By.ID, "id_label")
    field.clear()
    field.send_keys(label)


def running(database: Database, flow: Designed) -> dict[str, Any]:
    found = database.execute("select wedsql.running_definition(%s) -> 'definition'", [flow.name]).fetchone()
    assert found is not None
    return dict(found[0])


def running_version(database: Database, flow: Designed) -> int:
    found = database.execute("select version from wedsql.flow where id = %s", [flow.number]).fetchone()
    assert found is not None
    return int(found[0])


def drafted(database: Database, flow: Designed, predicate: str) -> None:
    """Save a draft of alice that changes the condition of the first rule."""
    change = """
      select wedsql.save_draft(%(flow)s, 'main', (d ->> 'revision')::integer,
        jsonb_set(d -> 'definition', '{triggers,0,predicate}', to_jsonb(%(to)s::text)), '', null, 'alice')
      from wedsql.open_draft(%(flow)s, 'main', null, '', 'alice') d"""
    database.execute(change, {"flow": flow.name, "to": predicate})


def test_two_people_edit_one_draft_and_both_decisions_are_kept(
    browser: Browser, second: Browser, login: Login, log_in: LogIn, database: Database, flow: Designed
) -> None:
    """alice and vera change the same label and, each, something of their own."""
    page = flow.tab("design/?rule=1")
    login("alice", page)
    log_in(second, "vera", page)
    give_label(browser, "Of alice")
    browser.find_element(By.XPATH, "//summary[contains(., 'describing')]").click()
    at(browser, "[name=description]").send_keys("alice describes it")
    give_label(second, "Of vera")
    second.find_element(By.XPATH, "//summary[contains(., 'Names in programs')]").click()
    at(second, "[name=condition]").send_keys("_of_vera")
    at(second, "#panel button[value=save]").click()
    wait_in(second, has(".messages .note-success"))

    at(browser, "#panel button[value=save]").click()
    wait_in(browser, has(".conflict"))
    legend, columns = (
        text(browser, ".conflict legend"),
        browser.find_elements(By.CSS_SELECTOR, ".conflict pre"),
    )
    assert "name shown to people" in legend.lower()
    assert [each.text for each in columns] == ["∅", "Of alice", "Of vera"]
    assert len(browser.find_elements(By.CSS_SELECTOR, ".conflict")) == 1
    at(browser, "input[value=theirs]").click()
    at(browser, "main form button.primary").click()
    wait_in(browser, has(".messages .note-success"))
    assert all("409 (Conflict)" in problem for problem in problems(browser))

    row = database.execute(
        "select wedsql.read_draft(%s, 'main') -> 'definition' -> 'triggers' -> 0", [flow.name]
    )
    (rule,) = row.fetchone() or ({},)
    assert rule["label"] == "Of vera" and rule["condition"] == "c_of_vera"
    assert rule["description"] == "alice describes it"


def test_a_second_person_approves_and_the_first_one_cannot(
    browser: Browser, second: Browser, server: WebServer, login: Login, log_in: LogIn, database: Database,
    flow: Designed,
) -> None:  # fmt: skip
    database.execute("update wedsql.flow set needs_approval = true where name = %s", [flow.name])
    login("alice", flow.tab("design/"))
    save_rule(browser, server, flow, "Approved")
    browser.get(server.url[:-1] + flow.tab("publish/"))
    at(browser, "#reason").send_keys("four eyes")
    publish(browser)
    wait_in(browser, says("Another person has to approve it."))
    assert not browser.find_elements(By.CSS_SELECTOR, "button[value^='approve:']")
    request = at(browser, "button[value^='withdraw:']").get_attribute("value").partition(":")[2]
    # A request of hers that no button sends.
    browser.execute_script(
        "arguments[0].value = arguments[1]", at(browser, "button[value^='withdraw:']"), f"approve:{request}"
    )
    at(browser, f"button[value='approve:{request}']").click()
    wait_in(browser, has(".messages .note-error"))
    assert "alice" in text(browser, ".messages .note-error")
    assert running(database, flow)["triggers"][0].get("label", "") == ""

    log_in(second, "vera", flow.tab("publish/"))
    at(second, "[name=note]").send_keys("looks right")
    at(second, f"button[value='approve:{request}']").click()
    wait_in(second, has(".messages .note-success"))
    assert "is published" in text(second, ".messages .note-success")
    assert running(database, flow)["triggers"][0]["label"] == "Approved"
    second.get(server.url[:-1] + flow.tab("versions/"))
    assert "approved by vera" in text(second, "tbody tr")


def test_a_scheduled_publication_is_made_by_the_reaper(
    browser: Browser, server: WebServer, login: Login, database: Database, flow: Designed, workers: Processes
) -> None:
    login("alice", flow.tab("design/"))
    save_rule(browser, server, flow, "Later")
    browser.get(server.url[:-1] + flow.tab("publish/"))
    when = datetime.now(UTC) + timedelta(days=1)
    # The field of the browser has the form of its language; its value has not.
    browser.execute_script(
        "arguments[0].value = arguments[1]", at(browser, "#publish_at"), when.strftime("%Y-%m-%dT%H:%M")
    )
    publish(browser)
    wait_in(browser, says("waits for its time"))
    assert "label" not in running(database, flow)["triggers"][0]

    due = "update wedsql.publication set publish_at = wedsql.now() where flow = %s and status = 'approved'"
    database.execute(due, [flow.name])
    workers.manage("qcluster", Q_CLUSTER_NAME="reaper", WEDSQL_PROCESS="reaper")
    published = "select from wedsql.publication where flow = %s and status = 'published'"
    wait_in(browser, lambda _: database.execute(published, [flow.name]).rowcount, 60)
    browser.get(server.url[:-1] + flow.tab("publish/"))
    done = f"published version {running_version(database, flow)}"
    assert done in " ".join(text(browser, "#requests-title ~ div tbody tr").split())
    assert running(database, flow)["triggers"][0]["label"] == "Later"


def test_an_earlier_version_is_published_again_with_its_impact(
    browser: Browser, server: WebServer, login: Login, database: Database, flow: Designed, wait: Wait
) -> None:
    database.execute("select wedsql.start_many(%s, array_fill('{}'::jsonb, array[3]))", [flow.name])
    before = running_version(database, flow)
    change = """
      select wedsql.publish(%s, jsonb_set(wedsql.running_definition(%s) -> 'definition',
        '{triggers,0,predicate}', '"a is null and b is not null"'))"""
    database.execute(change, [flow.name, flow.name])
    login("alice", flow.tab("versions/"))
    assert browser.execute_script(GAP) < 8  # pixels: one space
    rows = browser.find_elements(By.CSS_SELECTOR, "tbody tr")
    rows[1].find_element(By.LINK_TEXT, "Publish again").click()
    wait(lambda page: f"?version={before}" in page.current_url)
    wait(has("#impact table"))
    assert "3 living instances, all examined" in text(browser, "#impact")
    numbers = [
        each.text for each in browser.find_elements(By.CSS_SELECTOR, "#impact tbody tr:first-child td.num")
    ]
    assert numbers == ["0", "0", "3", "0"]  # it holds again for all three
    publish(browser)
    wait(says("It did what was predicted."))

    assert running(database, flow)["triggers"][0]["predicate"] == "a is null"
    browser.get(server.url[:-1] + flow.tab("versions/"))
    assert f"back to version {before}" in text(browser, "tbody tr")


def test_the_choices_of_groups_are_made_without_scripts(
    browser: Browser, login: Login, database: Database, flow: Designed, wait: Wait
) -> None:
    database.execute("select wedsql.start_many(%s, array_fill('{}'::jsonb, array[3]))", [flow.name])
    drafted(database, flow, "a is null and b is not null")
    login("alice", flow.tab("publish/"))
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.refresh()
        at(browser, "#reason").send_keys("without scripts")
        at(browser, "button[value=examine]").click()
        wait(has("#impact table"))
        assert at(browser, "#reason").get_attribute("value") == "without scripts"
        at(browser, "[name=withdraw]").click()
        at(browser, "button[value=examine]").click()
        wait(says("3 jobs are withdrawn"))  # the page before it has the checked box, too
        assert at(browser, "[name=withdraw]").is_selected()
        at(browser, "form.publish button[value=publish]").click()
        wait(says("It did what was predicted."))
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    exceptions = "select from wedsql.instance where flow_id = %s and status = 'E'"
    assert database.execute(exceptions, [flow.number]).rowcount == 3
    row = database.execute("select reason from wedsql.publication where flow = %s", [flow.name]).fetchone()
    assert row == ("without scripts",)


# Records where the button is in each frame, and whether it can be pressed, from the moment the page is read.
FRAMES = """
document.addEventListener("readystatechange", () => {
  const button = document.querySelector("form.publish button[value=publish]");
  if (document.readyState !== "interactive" || !button) return;
  const look = () => {
    const { top, left } = button.getBoundingClientRect();
    const known = Boolean(document.querySelector("#impact table"));
    (window.seen ??= []).push([Math.round(top + scrollY), Math.round(left), button.disabled, known]);
    requestAnimationFrame(look);
  };
  look();
});
"""


@pytest.mark.parametrize("width", [1440, 390])
def test_the_button_waits_for_the_impact_and_stays_where_it_is_beside_its_choices(
    browser: Browser, login: Login, database: Database, flow: Designed, wait: Wait, width: int
) -> None:
    database.execute("select wedsql.start_many(%s, array_fill('{}'::jsonb, array[3]))", [flow.name])
    drafted(database, flow, "a is null and b is not null")
    browser.set_window_size(width, 900)
    login("alice", flow.tab("publish/"))
    added = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": FRAMES})
    browser.refresh()
    wait(has(READY))
    wait(has("#choices input[name=withdraw]"))
    seen = browser.execute_script("return window.seen")
    browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
    places = {(top, left) for top, left, _disabled, known in seen if known or width > 1000}
    early = [disabled for _top, _left, disabled, known in seen if not known]

    assert len(places) == 1, "the button does not move once it can be pressed"
    if width < 1000:
        (top, _left), end = places.pop(), at(browser, "#impact").rect
        assert top > end["y"] + end["height"], "the button comes after the impact"
    assert early and all(early), "the button is not active before the impact is there"
    box, choice = (at(browser, css).rect for css in (READY, "#choices label"))
    assert abs(choice["y"] - box["y"]) < 80, "the choice is beside the button"
    at(browser, "[name=withdraw]").click()
    wait(lambda page: page.find_elements(By.CSS_SELECTOR, READY + ", [name=withdraw]:checked"))
    wait(has(READY))
    assert at(browser, "[name=withdraw]").is_selected()
    assert browser.execute_script("return document.activeElement.name") == "withdraw"


def test_the_condition_of_what_if_is_typed_in_the_editor(
    browser: Browser, login: Login, database: Database, flow: Designed, wait: Wait
) -> None:
    database.execute("select wedsql.start_many(%s, array_fill('{}'::jsonb, array[2]))", [flow.name])
    login("alice", flow.tab("design/?rule=1"))
    browser.find_element(By.PARTIAL_LINK_TEXT, "What if:").click()
    wait(lambda page: "/what-if/" in page.current_url)
    wait(
        lambda page: (
            page.find_elements(By.CSS_SELECTOR, ".condition-sentence") and text(page, ".condition-sentence")
        )
    )
    assert "Payment" in text(browser, ".condition-sentence")
    assert "True on 2 of 2 living instances" in text(browser, "main")
    at(browser, "textarea.wed-predicate").click()
    ActionChains(browser).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()
    ActionChains(browser).send_keys("a is null and nowhere is null", Keys.ESCAPE).perform()
    wait(lambda page: [each.text for each in has(".cm-problem")(page)] == ["nowhere"])
    assert "nowhere" in text(browser, ".condition-problem")
    at(browser, "main form button.primary").click()
    wait(lambda page: "nowhere" in page.current_url and text(page, ".condition-problem"))
    assert "True on" not in text(browser, "main") and not browser.find_elements(By.CSS_SELECTOR, ".excerpt")
