"""The second factor in the browser: set up from the menu, required at log-in, backup code, removal."""

from __future__ import annotations

import time
from base64 import b32decode
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from testkit.web import WebServer
from tests.browser.conftest import PASSWORD, PHONE

WIDE = "return document.documentElement.scrollWidth > document.documentElement.clientWidth"


@pytest.fixture
def dora(dsn: str, django_db_blocker: Any) -> Iterator[Any]:
    with django_db_blocker.unblock():
        user = get_user_model().objects.create_user("dora", password=PASSWORD)
        yield user
        user.delete()


def code(key: str) -> str:
    totp = TOTP(b32decode(key.replace(" ", "")))
    totp.time = time.time()
    return f"{totp.token():06}"


def test_from_set_up_to_removal(
    browser: webdriver.Chrome,
    server: WebServer,
    dora: Any,
    log_in_by_form: Callable[..., None],
    wait: Callable[..., Any],
    django_db_blocker: Any,
) -> None:
    def title(text: str) -> Callable[[webdriver.Chrome], bool]:
        return lambda page: page.find_element(By.TAG_NAME, "h1").text == text

    def next_code() -> str:
        """Return a valid code without waiting half a minute for the next one."""
        TOTPDevice.objects.filter(user=dora).update(last_t=-1)
        return code(key)

    with django_db_blocker.unblock():
        log_in_by_form("dora", "/workers/")
        browser.find_element(By.CSS_SELECTOR, ".tools .menu summary").send_keys(Keys.ENTER)
        browser.find_element(By.LINK_TEXT, "Security").click()
        wait(title("Security"))
        browser.find_element(By.NAME, "password").send_keys(PASSWORD, Keys.ENTER)
        wait(title("Set up the second factor"))
        assert browser.execute_script("return document.querySelector('.qr svg').clientWidth") > 150
        key = browser.find_element(By.CSS_SELECTOR, ".key").text
        browser.find_element(By.NAME, "code").send_keys(code(key), Keys.ENTER)
        wait(title("Backup codes"))
        codes = [each.text for each in browser.find_elements(By.CSS_SELECTOR, ".codes code")]
        assert len(codes) == 10
        browser.find_element(By.PARTIAL_LINK_TEXT, "go on").click()
        wait(lambda page: page.current_url == server.url)

        for text in (next_code(), codes[4]):
            browser.delete_all_cookies()
            log_in_by_form("dora", "/workers/", lambda page: "/login/code/" in page.current_url)
            wait(lambda page: page.switch_to.active_element.get_attribute("name") == "code")
            browser.switch_to.active_element.send_keys(text, Keys.ENTER)
            wait(lambda page: page.current_url.endswith("/workers/"))

        browser.get(f"{server.url}accounts/security/")
        assert "9 backup codes are left" in browser.find_element(By.TAG_NAME, "main").text
        browser.find_element(By.NAME, "password").send_keys(PASSWORD)
        browser.find_element(By.NAME, "code").send_keys(next_code())
        browser.find_element(By.CSS_SELECTOR, "button[value=remove]").click()
        wait(lambda page: "is removed" in page.find_element(By.TAG_NAME, "main").text)
        assert not TOTPDevice.objects.filter(user=dora).exists()


def test_fits_a_phone_in_portuguese(
    browser: webdriver.Chrome, dora: Any, log_in_by_form: Callable[..., None], wait: Callable[..., Any]
) -> None:
    browser.set_window_size(*PHONE)
    log_in_by_form("dora", "/accounts/security/")
    browser.find_element(By.CSS_SELECTOR, "footer button[value='pt-br']").click()
    wait(lambda page: page.find_element(By.TAG_NAME, "h1").text == "Segurança")
    assert browser.execute_script(WIDE) is False
    browser.find_element(By.NAME, "password").send_keys(PASSWORD, Keys.ENTER)
    wait(lambda page: page.find_element(By.CSS_SELECTOR, ".qr svg"))
    assert browser.execute_script(WIDE) is False
    assert "Configurar" in browser.find_element(By.TAG_NAME, "h1").text
