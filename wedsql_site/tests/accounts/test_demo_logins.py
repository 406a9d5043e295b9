"""The log-ins of the demo: who they are, what they may do, and where there are none."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth import get_user_model

from flows.access import may_handle, may_see
from wedsql_site.supervisor import demo_logins
from wedsql_site.supervisor.preparation import Login
from wedsql_site.supervisor.programs import Address
from wedsql_site.supervisor.report import welcome

HERE = Address("127.0.0.1", 8000)


@pytest.mark.django_db
def test_each_logs_in_and_may_do_its_part_in_the_shop_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEDSQL_STATE_DIR", str(tmp_path))
    made = demo_logins.ensure()
    assert made == demo_logins.ensure() and set(made.names) == set(demo_logins.LOGINS)
    handles = set()
    for name in made.names:
        user = get_user_model().objects.get(username=name)
        assert user.check_password(made.password) and not user.is_staff and not user.is_superuser
        assert may_see(user, "orders") and not may_see(user, "fig2")
        handles |= {name} if may_handle(user, "orders") else set()
    assert handles == set(made.names) - {"auditor"}
    printed = welcome(HERE, Login("admin", "x"), made)
    assert made.password in printed and "clerk, senior, approver, auditor" in printed


@pytest.mark.django_db
def test_a_user_of_that_name_keeps_password_and_rights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEDSQL_STATE_DIR", str(tmp_path))
    own = get_user_model().objects.create_user("clerk", password="own and good enough")
    made = demo_logins.ensure()
    assert "clerk" not in made.names and len(made.names) == len(demo_logins.LOGINS) - 1
    assert own.groups.count() == 0
    own.refresh_from_db()
    assert own.check_password("own and good enough")


def test_other_machines_reach_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WEDSQL_BEHIND_PROXY", raising=False)
    assert HERE.private and not Address("0.0.0.0", 8000).private  # noqa: S104 - an address that is not used
    monkeypatch.setenv("WEDSQL_BEHIND_PROXY", "1")
    assert not HERE.private
    assert "demo" not in welcome(HERE, Login("admin", None))
