"""A CSV file is chosen, looked at and started in the browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from flows import api
from tests.browser.axe import WIDE, against_the_rules
from tests.browser.conftest import PHONE, Login, Wait


def press(browser: webdriver.Chrome, value: str) -> None:
    browser.find_element(By.CSS_SELECTOR, f"button[name=do][value={value}]").send_keys(Keys.ENTER)


def test_the_rows_of_a_file_are_shown_and_started_without_those_that_are_refused(
    flow: str,
    connect: Callable[..., psycopg.Connection[Any]],
    browser: webdriver.Chrome,
    login: Login,
    wait: Wait,
    tmp_path: Path,
) -> None:
    session = connect()
    rule = {"transition": "tr_x", "predicate": "city is not null"}
    attributes = [{"name": "city"}, {"name": "people", "type": "integer"}]
    api.flows.publish(flow, {"attributes": attributes, "triggers": [rule]}, conn=session)
    file = tmp_path / "cities.csv"
    file.write_bytes('city;people\r\nSão Paulo;12\r\nRio;many\r\n"Re\r\ncife";2\r\n'.encode("utf-8-sig"))
    browser.set_window_size(*PHONE)
    login("alice", f"/flows/{flow}/start/csv/")
    browser.find_element(By.ID, "file").send_keys(str(file))
    press(browser, "preview")
    table = wait(lambda page: page.find_element(By.XPATH, "//table[@aria-labelledby='problems']"))
    assert [each.text for each in table.find_elements(By.CSS_SELECTOR, "tbody th, tbody .mono")] == [
        "3", "people",
    ]  # fmt: skip
    assert [*browser.execute_script(WIDE), *against_the_rules(browser)] == []
    press(browser, "start")
    links = wait(lambda page: page.find_elements(By.CSS_SELECTOR, "td a[href^='/instances/']"))
    started = session.execute(f'select wid, city from "{flow}".wed_flow order by wid').fetchall()
    assert [city for _wid, city in started] == ["São Paulo", "Re\ncife"]
    assert [link.text for link in links] == [str(wid) for wid, _city in started]
    assert [*browser.execute_script(WIDE), *against_the_rules(browser)] == []
