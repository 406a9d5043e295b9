"""A process in BPMN from its file to tokens that move, in a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from flows import api
from flows.tests.bpmn.files.bpmn_files import ORDER
from flows.tests.bpmn.files.vendor_files import FOLDER, STARTED
from flows.tests.pages import unique
from tests.browser.conftest import Login, Wait, problems

Connect = Callable[..., psycopg.Connection[Any]]


def perform(flow: str, transition: str, connection: Any) -> None:
    (job,) = api.jobs.lease_many(flow, [transition], 1, "tester", conn=connection)
    api.jobs.complete(job, {}, conn=connection)


def perform_task(flow: str, wid: int, data: dict[str, Any], connection: Any) -> None:
    (task,) = api.tasks.of_instance(wid, conn=connection)
    api.tasks.take(task.job_id, "tester", [f"f:{flow}"], conn=connection)
    api.tasks.complete(task.job_id, "tester", data, conn=connection)


def test_a_process_is_imported_published_and_its_tokens_are_watched(
    browser: webdriver.Chrome, login: Login, wait: Wait, connect: Connect, tmp_path: Path
) -> None:
    def text() -> str:
        return browser.find_element(By.TAG_NAME, "main").text

    def tokens() -> list[str]:
        busy = browser.find_elements(By.CSS_SELECTOR, ".bpmn .busy")
        return sorted(str(each.get_attribute("aria-label")) for each in busy)

    def check(content: bytes) -> None:
        file = tmp_path / "order.bpmn"
        file.write_bytes(content)
        browser.find_element(By.NAME, "file").send_keys(str(file))
        browser.find_element(By.CSS_SELECTOR, '[value="check"]').click()

    flow = unique("order")
    login("alice", "/admin/flows/flow/import/")
    browser.find_element(By.NAME, "name").send_keys(flow)
    check(ORDER.replace(b"PT2H", b"2 hours"))
    wait(lambda _page: "2 hours" in text())
    assert "late" in text() and not browser.find_elements(By.CSS_SELECTOR, '[value="publish"]')
    check(ORDER)
    wait(lambda _page: "can be published" in text())
    assert browser.find_elements(By.CSS_SELECTOR, ".bpmn svg")
    browser.find_element(By.CSS_SELECTOR, '[value="publish"]').click()
    wait(lambda _page: "With its instances" in text())

    browser.get(browser.current_url.split("/admin/")[0] + f"/flows/{flow}/start/")
    browser.find_element(By.CSS_SELECTOR, "main form button.primary").click()
    wait(lambda page: "/instances/" in page.current_url)
    wid = browser.current_url.split("/instances/")[1].split("/")[0]
    browser.get(browser.current_url.split("/instances/")[0] + f"/flows/{flow}/diagram/?instance={wid}")
    wait(lambda _page: tokens() == ["Charge the card: 1 token", "pack: 1 token"])
    browser.execute_script("window.loadedOnce = true")
    connection = connect()
    perform(flow, "charge", connection)
    wait(lambda _page: tokens() == ["join: 1 token", "pack: 1 token"])
    perform_task(flow, int(wid), {"packed": True}, connection)
    wait(lambda _page: tokens() == ["await: 1 token"])
    assert browser.execute_script("return window.loadedOnce"), "the page was not loaded again"
    assert problems(browser) == []


@pytest.mark.parametrize("name", STARTED)
def test_a_file_of_each_kind_of_modeller_runs_by_the_pages_alone(
    browser: webdriver.Chrome, login: Login, wait: Wait, name: str
) -> None:
    flow = unique("vendor")
    login("alice", "/admin/flows/flow/import/")
    browser.find_element(By.NAME, "name").send_keys(flow)
    browser.find_element(By.NAME, "file").send_keys(str(FOLDER / name))
    browser.find_element(By.CSS_SELECTOR, '[value="check"]').click()
    wait(lambda page: "can be published" in page.find_element(By.TAG_NAME, "main").text)
    browser.find_element(By.CSS_SELECTOR, '[value="publish"]').click()
    wait(lambda page: "With its instances" in page.find_element(By.TAG_NAME, "main").text)

    site = browser.current_url.split("/admin/")[0]
    browser.get(f"{site}/flows/{flow}/start/")
    browser.find_element(By.CSS_SELECTOR, "main form button.primary").click()
    wait(lambda page: "/instances/" in page.current_url)
    wid = browser.current_url.split("/instances/")[1].split("/")[0]
    browser.get(f"{site}/flows/{flow}/diagram/?instance={wid}")
    shown = wait(lambda page: page.find_elements(By.CSS_SELECTOR, ".bpmn .busy"))
    assert {each.get_attribute("aria-label") for each in shown} == {STARTED[name]}
    assert problems(browser) == []
