"""Fields of a form that ask the server or have rows: files, queries, tables, by keyboard and on a phone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import Group
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from flows import api
from testkit.cases import long
from tests.browser.axe import against_the_rules, axe
from tests.browser.conftest import PHONE, Login, Sized, Wait

__all__ = ["axe"]
Browser = webdriver.Chrome
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360f8cfc000000301010018dd8db00000000049454e44ae426082"
)
SHOPS: dict[str, Any] = {
    "label": "Workshops",
    "attributes": [
        {"name": "code", "business_key": True},
        {"name": "name"},
        {"name": "town"},
        {"name": "stock", "type": "integer"},
    ],
    "triggers": [{"predicate": "code is not null", "final": True}],
}
COLUMNS = [
    {"name": "part", "label": "Part", "required": True},
    {"name": "count", "label": "Count", "type": "integer"},
    {"name": "price", "label": "Price", "type": "numeric"},
    {"name": "state", "label": "State", "type": "choice", "options": ["new", "used"]},
]


def definition(shops: str) -> dict[str, Any]:
    query = {"flow": shops, "where": "town = my_town", "value": "code", "columns": ["name", "stock"]}
    fields = [
        {"attribute": "town", "width": "half", "help": "Where the device is."},
        {"attribute": "due", "width": "half"},
        {
            "attribute": "shop",
            "kind": "query",
            "query": query,
            "placeholder": "Code or name",
            "required": True,
        },
        {"attribute": "photo", "kind": "file", "accept": ["image/*"], "max_kb": 20, "capture": "environment"},
        {"attribute": "parts", "kind": "table", "columns": COLUMNS, "shown": "shop is not null"},
        {
            "attribute": "tags",
            "kind": "choices",
            "options": ["warranty", "urgent"],
            "readonly": "photo is null",
        },
        {"attribute": "helper", "kind": "person", "width": "half"},
        {"attribute": "cost", "width": "half", "unit": "BRL", "required": "tags is not null"},
        {
            "attribute": "note",
            "kind": "long",
            "shown": "parts is not null or cost > 100 and cheap is not true",
        },
        {"attribute": "cheap", "width": "third"},
    ]
    return {
        "label": "Repairs",
        "attributes": [
            {"name": "town", "label": "Town"},
            {"name": "due", "type": "date", "label": "Promised for"},
            {"name": "shop", "label": "Workshop"},
            {"name": "photo", "type": "jsonb", "label": "Photo of the device"},
            {"name": "parts", "type": "jsonb", "label": "Parts"},
            {"name": "tags", "type": "jsonb", "label": "Marks"},
            {"name": "helper", "label": "Helper"},
            {"name": "cost", "type": "numeric", "label": "Cost"},
            {"name": "note", "label": "Note"},
            {"name": "cheap", "type": "boolean", "label": "Cheap"},
            {"name": "done"},
        ],
        "triggers": [
            {
                "transition": "inspect",
                "label": "Inspect the device",
                "predicate": "done is null",
                "performer": "person",
                "outcomes": ["Ready: done = 'yes'"],
                "form": {"sections": [{"title": "The device", "fields": fields}]},
            },
            {"predicate": "done = 'yes'", "final": True},
        ],
    }


@pytest.fixture
def shops(flow: str, connect: Any) -> Iterator[str]:
    """A flow with the rows of the query."""
    conn: psycopg.Connection[Any] = connect()
    name = f"{flow}_shops"
    api.flows.create(name, conn=conn)
    api.flows.publish(name, SHOPS, conn=conn)
    towns = ["Rio", "Recife"]
    states = [
        {"code": f"W{n:02}", "name": f"Oficina {n}", "town": towns[n % 2], "stock": n} for n in range(30)
    ]
    api.instances.start_many(name, states, conn=conn)
    yield name
    api.flows.drop(name, force=True, conn=conn)


@pytest.fixture
def task(
    flow: str,
    shops: str,
    connect: Any,
    people: dict[str, Any],
    django_db_blocker: Any,
    login: Login,
    wait: Wait,
) -> Iterator[int]:
    """A task that carol has taken, whose page is open; she sees the flow of the query, too."""
    conn: psycopg.Connection[Any] = connect()
    api.flows.publish(flow, definition(shops), conn=conn)
    api.instances.start(flow, {"town": "Rio"}, conn=conn)
    (found,) = api.tasks.of_flow(flow, conn=conn)
    api.tasks.take(found.job_id, "carol", [f"f:{flow}"], conn=conn)
    with django_db_blocker.unblock():
        groups = [Group.objects.create(name=f"flow:{name}:handle") for name in (flow, shops)]
        people["carol"].groups.add(*groups)
    login("carol", f"/tasks/{found.job_id}/")
    wait(lambda page: control(page, "shop").get_attribute("role") == "combobox")  # the scripts have begun
    yield found.job_id
    with django_db_blocker.unblock():
        for group in groups:
            group.delete()


def entry(browser: Browser, name: str) -> Any:
    return browser.find_element(By.CSS_SELECTOR, f"[data-attribute={name}]")


def control(browser: Browser, name: str) -> Any:
    return browser.find_element(By.NAME, f"value-{name}")


def keys(browser: Browser, *given: str) -> None:
    ActionChains(browser).send_keys(*given).perform()


def options(browser: Browser) -> list[str]:
    found = entry(browser, "shop").find_elements(By.CSS_SELECTOR, "[role=option] b")
    return [each.text for each in found if each.is_displayed()]


def choose_shop(browser: Browser, wait: Wait, text: str, code: str) -> None:
    control(browser, "shop").send_keys(Keys.CONTROL, "a")
    control(browser, "shop").send_keys(text)
    wait(lambda page: code in options(page))
    for _ in range(1 + options(browser).index(code)):
        keys(browser, Keys.ARROW_DOWN)
    keys(browser, Keys.ENTER)
    wait(lambda page: control(page, "shop").get_property("value") == code and not options(page))


def send(browser: Browser, path: Path, content: bytes) -> None:
    path.write_bytes(content)
    browser.find_element(By.NAME, "file-photo").send_keys(str(path))


def complete(browser: Browser) -> None:
    browser.find_element(By.CSS_SELECTOR, "button[name=outcome]").click()


def test_rows_of_a_query_are_searched_and_chosen_by_keyboard(browser: Browser, wait: Wait, task: int) -> None:
    box = control(browser, "shop")
    box.click()
    wait(lambda page: len(options(page)) == 15)
    keys(browser, Keys.ESCAPE)
    assert options(browser) == [] and box.get_attribute("aria-expanded") == "false"
    box.send_keys("oficina 14")
    wait(lambda page: options(page) == ["W14"])
    keys(browser, Keys.ARROW_DOWN)
    marked = browser.find_element(By.ID, box.get_attribute("aria-activedescendant"))
    assert marked.get_attribute("aria-selected") == "true" and "Oficina 14" in marked.text
    keys(browser, Keys.ENTER)
    assert box.get_property("value") == "W14" and browser.find_element(By.ID, box.get_attribute("id"))
    town = control(browser, "town")
    town.send_keys(Keys.CONTROL, "a")
    town.send_keys("Recife")
    box.click()
    wait(lambda page: options(page) and options(page)[0] == "W29")
    keys(browser, Keys.ESCAPE)
    complete(browser)  # W14 is in Rio
    wait(lambda page: "Choose one of the rows" in entry(page, "shop").text)
    assert control(browser, "town").get_property("value") == "Recife"


def test_who_may_not_see_the_rows_gets_none(
    browser: Browser, wait: Wait, task: int, people: dict[str, Any], shops: str, django_db_blocker: Any
) -> None:
    with django_db_blocker.unblock():
        people["carol"].groups.remove(Group.objects.get(name=f"flow:{shops}:handle"))
    control(browser, "shop").click()
    wait(lambda page: "You may not see the rows" in entry(page, "shop").text)
    assert options(browser) == []
    assert len(browser.get_log("browser")) == 1  # the answer 403


def test_a_file_is_sent_when_it_is_chosen_and_kept_as_a_draft(
    browser: Browser, wait: Wait, task: int, tmp_path: Path, connect: Any
) -> None:
    send(browser, tmp_path / "front.png", PNG)
    wait(lambda page: "front.png" in entry(page, "photo").text)
    wait(lambda page: page.find_element(By.CSS_SELECTOR, "[data-kept]").is_displayed())
    browser.refresh()
    wait(lambda page: "front.png" in entry(page, "photo").text)
    choose_shop(browser, wait, "W02", "W02")
    complete(browser)
    wait(lambda page: f"/tasks/{task}/" not in page.current_url)
    state = api.tasks.read(task, "carol", conn=connect()).state_of
    assert (state["photo"]["name"], state["photo"]["size"], state["photo"]["type"]) == (
        "front.png", len(PNG), "image/png",
    )  # fmt: skip


def test_a_file_that_is_too_large_or_of_another_type_is_told_at_its_field(
    browser: Browser, wait: Wait, task: int, tmp_path: Path
) -> None:
    control(browser, "note")
    control(browser, "cost").send_keys("12")
    send(browser, tmp_path / "large.png", PNG + b"x" * 30_000)
    wait(lambda page: "too large" in entry(page, "photo").text)
    assert browser.get_log("browser") == []  # it was not even sent
    send(browser, tmp_path / "letter.png", b"%PDF-1.4")
    wait(lambda page: "application/pdf" in entry(page, "photo").text)
    assert len(browser.get_log("browser")) == 1  # the answer 422
    assert control(browser, "cost").get_property("value") == "12"
    assert control(browser, "photo").get_property("value") == ""
    send(browser, tmp_path / "right.png", PNG)
    wait(lambda page: "right.png" in entry(page, "photo").text)
    browser.find_element(By.CSS_SELECTOR, "[data-file-remove]").click()
    assert "right.png" not in entry(browser, "photo").text
    assert control(browser, "photo").get_property("value") == ""


def cells(browser: Browser, column: str) -> list[str]:
    found = browser.find_elements(By.CSS_SELECTOR, f"[name^=cell-parts-][name$=-{column}]")
    return [each.get_property("value") for each in found]


def test_rows_of_a_table_are_added_moved_and_removed_by_keyboard(
    browser: Browser, wait: Wait, task: int, connect: Any
) -> None:
    choose_shop(browser, wait, "W02", "W02")
    first = browser.find_element(By.NAME, "cell-parts-0-part")
    first.send_keys("fan", Keys.TAB, "2", Keys.TAB, "9.90", Keys.TAB)
    Select(browser.switch_to.active_element).select_by_visible_text("used")
    browser.find_element(By.NAME, "cell-parts-1-part").send_keys("screw", Keys.TAB, "many")
    browser.find_element(By.CSS_SELECTOR, "[data-add-row]").send_keys(Keys.ENTER)
    keys(browser, "belt")
    assert cells(browser, "part") == ["fan", "screw", "belt"]
    ActionChains(browser).key_down(Keys.ALT).send_keys(Keys.ARROW_UP, Keys.ARROW_UP).key_up(
        Keys.ALT
    ).perform()
    assert cells(browser, "part") == ["belt", "fan", "screw"]
    assert browser.switch_to.active_element.get_attribute("aria-label") == "Part 1"
    browser.find_element(By.CSS_SELECTOR, "[data-move='1']").send_keys(Keys.ENTER)
    assert cells(browser, "part") == ["fan", "belt", "screw"]
    assert "Row 1 is now row 2." in browser.find_element(By.CSS_SELECTOR, "[data-rows-status]").text
    complete(browser)
    wait(lambda page: "no value of their column" in entry(page, "parts").text)
    wrong = browser.find_elements(By.CSS_SELECTOR, "[data-rows] [aria-invalid=true]")
    assert [each.get_attribute("aria-label") for each in wrong] == ["Count 3"]
    assert wrong[0].get_property("value") == "many"
    assert cells(browser, "part")[:3] == ["fan", "belt", "screw"]
    browser.find_elements(By.CSS_SELECTOR, "[data-remove]")[2].send_keys(Keys.ENTER)
    complete(browser)
    wait(lambda page: f"/tasks/{task}/" not in page.current_url)
    parts = api.tasks.read(task, "carol", conn=connect()).state_of["parts"]
    assert [{name: str(value) for name, value in row.items()} for row in parts] == [
        {"part": "fan", "count": "2", "price": "9.90", "state": "used"}, {"part": "belt"},
    ]  # fmt: skip


def test_rows_that_were_moved_and_removed_are_there_again_after_the_next_log_in(
    browser: Browser, wait: Wait, task: int, login: Login
) -> None:
    choose_shop(browser, wait, "W02", "W02")
    for place, part in enumerate(("fan", "screw")):
        browser.find_element(By.NAME, f"cell-parts-{place}-part").send_keys(part)
    wait(lambda page: page.find_element(By.CSS_SELECTOR, "[data-kept]").is_displayed())
    browser.refresh()
    wait(lambda page: cells(page, "part")[:2] == ["fan", "screw"])
    browser.delete_cookie("sessionid")
    browser.find_element(By.CSS_SELECTOR, "[data-add-row]").click()
    keys(browser, "belt")
    browser.find_elements(By.CSS_SELECTOR, "[data-move='-1']")[1].click()
    browser.find_elements(By.CSS_SELECTOR, "[data-remove]")[1].click()
    typed = [text for text in cells(browser, "part") if text]
    assert typed == ["screw", "belt"]
    login("carol", f"/tasks/{task}/")
    wait(lambda page: [text for text in cells(page, "part") if text] == typed)


LETTERS = """
const done = arguments[0];
import('/static/monitor/form_requests.js').then(async ({sent, sending}) => {
  const form = document.querySelector('[data-task-form]');
  const found = await sent(form.dataset.letters, sending(form));
  const here = {};
  for (const one of form.querySelectorAll('[data-attribute]')) {
    const controls = [...one.querySelectorAll('input, select, textarea')];
    const mark = one.querySelector('.required');
    const off = controls.length > 0 && controls.every((each) => each.disabled);
    here[one.dataset.attribute] = [!one.hidden, mark ? !mark.hidden : false, off];
  }
  done([found.body, here]);
}, (error) => done(String(error)));
"""
DRAWN: dict[str, list[str]] = {
    "cost": ["", "99.5", "100", "101", "1e2", "-3", "a lot"],
    "shop": ["", "W02", "x y", "''"],
    "cheap": ["", "true", "false"],
    "photo": ["", '{"name": "a.png"}'],
    "tags": ["", "warranty"],
    "parts": ["", "fan"],
}
FILL = """
const [name, text] = arguments;
const entry = document.querySelector(`[data-attribute=${name}]`);
const one = entry.querySelector(name === 'parts' ? 'tbody input' : `[name=value-${name}]`);
if (one.type === 'checkbox') one.checked = text !== '';
else one.value = text;
one.dispatchEvent(new Event('change', {bubbles: true}));
"""


@pytest.mark.parametrize("seed", range(8 if long() else 1))
def test_the_page_follows_its_conditions_as_the_server_does(
    browser: Browser, wait: Wait, task: int, seed: int
) -> None:
    """Whatever is filled in, fields are shown, required and read-only as the kernel says of the same form."""
    draw = random.Random(seed)  # noqa: S311  # a corpus, not a secret
    browser.set_script_timeout(60)
    for _ in range(40):
        name = draw.choice(list(DRAWN))
        browser.execute_script(FILL, name, draw.choice(DRAWN[name]))
        found = browser.execute_async_script(LETTERS)
        letters, here = found
        for attribute, (shown, required, off) in here.items():
            ought = letters[attribute]
            assert shown == (ought["shown"] == "t"), (attribute, ought, here)
            assert required == (ought["required"] == "t"), (attribute, ought, here)
            assert off == (ought["shown"] != "t" or ought["readonly"] == "t"), (attribute, ought, here)


@pytest.mark.parametrize("phone", [False, True])
def test_the_fields_are_accessible_and_fit_their_page(
    browser: Browser, wait: Wait, task: int, sized: Sized, phone: bool, tmp_path: Path
) -> None:
    if phone:
        sized(PHONE)
    choose_shop(browser, wait, "W04", "W04")
    send(browser, tmp_path / "front.png", PNG)
    wait(lambda page: "front.png" in entry(page, "photo").text)
    control(browser, "shop").click()
    wait(lambda page: len(options(page)) == 15)
    assert against_the_rules(browser) == []
    wide = browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    assert wide
