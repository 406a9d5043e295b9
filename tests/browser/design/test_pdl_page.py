"""PDL that is written in a browser: what is wrong and the picture follow, and nothing typed is lost."""

from __future__ import annotations

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from flows.tests.pages import unique
from tests.browser import axe as rules
from tests.browser.axe import axe
from tests.browser.conftest import Login, Sized, Wait, problems
from tests.browser.settled import settle

__all__ = ["axe"]

NEW = "/admin/flows/flow/pdl/"
TASK = "TASK File: Form { DEPENDS AND (Check -> SUCCEEDED); ROLE Clerk; "


def status(browser: webdriver.Chrome) -> str:
    return browser.find_element(By.CSS_SELECTOR, "#found [role=status]").text


def typed(browser: webdriver.Chrome) -> str:
    return str(browser.execute_script("return document.getElementById('text').value"))


def drawn(browser: webdriver.Chrome) -> list[str]:
    return [
        str(each.get_attribute("textContent"))
        for each in browser.find_elements(By.CSS_SELECTOR, ".bpmn title")
    ]


def test_a_workflow_is_written_by_keys_and_what_is_typed_survives(
    browser: webdriver.Chrome, login: Login, wait: Wait
) -> None:
    def press(*keys: str) -> None:
        ActionChains(browser).send_keys(*keys).perform()

    flow = unique("written")
    login("alice", NEW)
    wait(lambda page: page.find_elements(By.CSS_SELECTOR, ".cm-lineNumbers"))
    assert drawn(browser) == ["Ask", "Check"]
    browser.find_element(By.NAME, "name").send_keys(flow)
    press(Keys.TAB)
    assert browser.switch_to.active_element.get_attribute("class").startswith("cm-content"), "the next field"
    ActionChains(browser).key_down(Keys.CONTROL).send_keys(Keys.HOME).key_up(Keys.CONTROL).perform()
    press(Keys.ARROW_DOWN, Keys.END, Keys.ENTER, TASK.replace("SUCCEEDED", "SUCCEDED"))
    wait(lambda page: "1 error" in status(page))
    assert browser.find_element(By.CSS_SELECTOR, ".cm-problem").text.startswith("SUCCEDED")
    said = browser.find_element(By.CSS_SELECTOR, "#found table").text
    assert "“SUCCEDED” is not expected here, but: FAIL, READY, RUNNING, SUCCEEDED." in said

    before = typed(browser)
    browser.get(browser.current_url)  # the session may have ended, or the browser
    wait(lambda page: page.find_element(By.ID, "kept").is_displayed())
    assert typed(browser) == before
    wait(lambda page: "1 error" in status(page))
    browser.find_element(By.NAME, "name").send_keys(flow)
    link = browser.find_element(By.CSS_SELECTOR, "#found a[data-line]")
    link.send_keys(Keys.ENTER)
    press(Keys.DELETE * len("SUCCEDED"), "SUCCEEDED")
    wait(lambda page: "No errors" in status(page))
    assert drawn(browser) == ["Ask", "Check", "File"]

    browser.find_element(By.CSS_SELECTOR, '[value="check"]').send_keys(Keys.ENTER)
    wait(lambda page: "can be published" in page.find_element(By.TAG_NAME, "main").text)
    browser.find_element(By.CSS_SELECTOR, '[value="publish"]').send_keys(Keys.ENTER)
    wait(lambda page: "is published" in page.find_element(By.TAG_NAME, "main").text)
    assert "File: Form" in typed(browser)
    browser.get(browser.current_url.split("/admin/")[0] + NEW)
    wait(lambda page: page.find_elements(By.CSS_SELECTOR, ".cm-lineNumbers"))
    assert not browser.find_element(By.ID, "kept").is_displayed(), "what was published is not kept"
    assert problems(browser) == []


def test_a_text_is_saved_in_the_draft_by_keys(browser: webdriver.Chrome, login: Login, wait: Wait) -> None:
    login("alice", NEW)
    wait(lambda page: page.find_elements(By.CSS_SELECTOR, ".cm-lineNumbers"))
    browser.find_element(By.NAME, "name").send_keys(unique("drafted"))
    for do, said in (("check", "can be published"), ("publish", "is published")):
        browser.find_element(By.CSS_SELECTOR, f'[value="{do}"]').send_keys(Keys.ENTER)
        wait(lambda page, said=said: said in page.find_element(By.TAG_NAME, "main").text)
    wait(lambda page: page.find_elements(By.CSS_SELECTOR, ".cm-lineNumbers"))
    browser.find_element(By.CSS_SELECTOR, ".cm-content").click()
    ActionChains(browser).key_down(Keys.CONTROL).send_keys(Keys.HOME).key_up(Keys.CONTROL).perform()
    ActionChains(browser).send_keys(Keys.ARROW_DOWN, Keys.END, Keys.ENTER, "TASK Post: Form { }").perform()
    wait(lambda page: "Post" in drawn(page))
    browser.find_element(By.CSS_SELECTOR, '[value="draft"]').send_keys(Keys.ENTER)
    wait(lambda page: "Saved in the draft" in page.find_element(By.TAG_NAME, "main").text)
    assert "Post: Form" in typed(browser) and problems(browser) == []


def test_what_is_wrong_is_read_at_every_width_in_both_themes_and_in_portuguese(
    browser: webdriver.Chrome, login: Login, wait: Wait, axe: None, sized: Sized
) -> None:
    login("alice", NEW)
    browser.add_cookie({"name": "django_language", "value": "pt-br"})
    for size in ((360, 740), (1440, 900)):
        sized(size)
        browser.get(browser.current_url)
        wait(lambda page: page.find_elements(By.CSS_SELECTOR, ".cm-lineNumbers"))
        browser.execute_script("localStorage.clear()")
        browser.find_element(By.CSS_SELECTOR, ".cm-content").send_keys("TASK X: { ROL; }")
        wait(lambda page: "erro" in status(page))
        settle(browser)
        assert browser.execute_script(rules.WIDE) == [], size
        for theme in rules.THEMES:
            rules.choose(browser, theme)
            assert rules.against_the_rules(browser, rules.ALL) == [], (size, theme)
