"""From the gallery to a published flow that workers run to its end, in a browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
from selenium import webdriver
from selenium.webdriver.common.by import By

from flows.tests.pages import unique
from testkit.processes import Processes
from tests.browser.conftest import Login, Wait
from workers.tests.conftest import processes as processes


def test_an_example_is_opened_tried_published_and_run(
    browser: webdriver.Chrome,
    login: Login,
    wait: Wait,
    connect: Callable[..., psycopg.Connection[Any]],
    processes: Processes,
) -> None:
    def text() -> str:
        return browser.find_element(By.TAG_NAME, "main").text

    def press(action: str) -> None:
        browser.find_element(By.CSS_SELECTOR, f'[name="do"][value="{action}"]').click()

    flow = unique("loan")
    login("alice", "/admin/flows/flow/new/")
    browser.find_element(By.LINK_TEXT, "Loan").click()
    wait(lambda _page: "Start from this example" in text())
    browser.find_element(By.NAME, "name").send_keys(flow)
    browser.find_element(By.CSS_SELECTOR, "form.options button.primary").click()
    wait(lambda _page: "opened with 3 scenarios" in browser.find_element(By.TAG_NAME, "body").text)

    browser.find_element(By.LINK_TEXT, "Try it").click()
    wait(lambda _page: text().count("as expected") == 3)
    for number, typed in ((0, "Ana"), (1, "4000"), (2, "9000")):
        browser.find_element(By.ID, f"value-{number}").send_keys(typed)
    press("start")
    wait(lambda _page: "So far" in text())
    press("tree")
    wait(lambda _page: browser.find_elements(By.CSS_SELECTOR, ".tree-picture a.status-F"))
    # The picture's node opens the state: the loan is paid out.
    last = browser.find_elements(By.CSS_SELECTOR, ".tree-picture a.status-F")[0]
    browser.execute_script("arguments[0].scrollIntoView({block: 'center', inline: 'center'})", last)
    last.click()
    wait(lambda _page: not browser.find_elements(By.ID, "tree") and "Pay out" in text())

    browser.find_element(By.LINK_TEXT, "Publish").click()
    wait(lambda _page: text().count("as expected") == 3)
    browser.find_element(By.NAME, "reason").send_keys("from the gallery")
    press("publish")
    conn = connect()
    wait(lambda _page: conn.execute("select 1 from wedsql.flow where name = %s", [flow]).fetchone())
    conn.execute(f"insert into {flow}.wed_flow (applicant, income, amount) values ('Ana', 4000, 9000)")
    assert processes.manage("wedworker", "--flow", flow, "--once").wait(60) == 0, processes.output()
    state = conn.execute(f"select decision, paid_out from {flow}.wed_flow").fetchone()
    assert state == ("granted", True)
