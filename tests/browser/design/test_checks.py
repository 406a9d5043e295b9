"""The checks of a large flow: what takes long is examined after the page is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
from selenium import webdriver
from selenium.webdriver.common.by import By

from tests.browser.conftest import Login, Wait

DESIGN = """
insert into wed_attr (aname, type, adv) values ('a', 'integer', '0');
insert into wed_trig (trname, cpred) select 'tr_' || n, 'a = ' || n || ' or a is null and a > ' || n
  from generate_series(1, 150) n;
insert into wed_trig (cpred, cfinal) values ('a = 0', true);
"""


def test_the_findings_of_a_large_flow_are_loaded_after_the_page(
    loaded: Callable[[str], str],
    connect: Callable[..., psycopg.Connection[Any]],
    login: Login,
    browser: webdriver.Chrome,
    wait: Wait,
) -> None:
    row = connect().execute("select id from wedsql.flow where name = %s", [loaded(DESIGN)]).fetchone()
    assert row is not None

    login("alice", f"/admin/flows/flow/{row[0]}/checks/")

    wait(lambda _page: "No worker serves" in browser.find_element(By.ID, "findings").text)
    assert not browser.find_elements(By.CSS_SELECTOR, "[data-running]")
    assert "140 more findings" in browser.find_element(By.ID, "findings").text
