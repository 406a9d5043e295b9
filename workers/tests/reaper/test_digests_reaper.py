"""A real reaper mails a person about the open cases of a flow."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Iterator
from typing import Any

import pytest

from flows import api
from workers.tests.conftest import Shop
from workers.tests.reaper.test_alerts_reaper import Installation, here

__all__ = ["here"]

ADD = (
    "insert into wedsql.auth_user (username, email, is_active, is_staff, is_superuser, password, first_name,"
    " last_name, date_joined) values ('mailed', 'ana@example.org', true, false, false, '', '', '', now())"
    " returning id"
)


@pytest.fixture
def reader(shop: Shop) -> Iterator[int]:
    """An account that sees the flow by its group."""
    db, user = shop.db, shop.one(ADD)
    group = shop.one("insert into wedsql.auth_group (name) values (%s) returning id", f"flow:{shop.flow}")
    db.execute("insert into wedsql.auth_user_groups (user_id, group_id) values (%s, %s)", [user, group])
    yield user
    api.cases.delete_digests(user, conn=db)
    db.execute("delete from wedsql.auth_user_groups where user_id = %s", [user])
    db.execute("delete from wedsql.auth_group where id = %s", [group])
    db.execute("delete from wedsql.auth_user where id = %s", [user])
    db.execute("delete from wedsql.delivery where target = 'ana@example.org'")


def mails(here: Installation) -> list[Any]:
    texts = [each.read_text() for each in sorted(here.mails.iterdir())]
    whole = [each for each in texts if each.rstrip().endswith("-" * 79)]
    return [email.message_from_string(each, policy=email.policy.default) for each in whole]


def test_a_person_is_mailed_once(here: Installation, reader: int) -> None:
    shop = here.shop
    api.cases.save_digest(reader, shop.flow, "", "day", "en", 6, conn=shop.db)
    (wid,) = shop.start()
    job = shop.one("select id from wedsql.job_pool where wid = %s", wid)
    api.operations.withdraw_job(wid, job, "Not needed.", conn=shop.db)
    here.start_reaper()
    assert shop.one("select next_at > wedsql.now() from wedsql.case_digest where user_id = %s", reader)
    shop.db.execute("update wedsql.case_digest set next_at = wedsql.now() where user_id = %s", [reader])
    here.wait(lambda: mails(here))
    sent = "select status from wedsql.delivery where target = 'ana@example.org'"
    here.wait(lambda: shop.db.execute(sent).fetchall() == [("sent",)])
    [mail] = mails(here)
    assert mail["To"] == "ana@example.org" and mail["Subject"] == "[WED-SQL] Cases: 1 open, 1 new"
    assert f"/instances/{wid}/" in mail.get_content() and "/cases/digests/" in mail.get_content()
    [later] = api.cases.list_digests(reader, conn=shop.db)
    assert later.next_at.hour == 6, "the hour of the setting"
