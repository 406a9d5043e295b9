"""An address to which nothing may be sent is rejected by every function that saves one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_type_hints

import pytest

from flows.capabilities.alerts.api import AlertRule
from flows.capabilities.moves.api import Peer
from flows.capabilities.webhooks.api import Webhook
from flows.errors import BadAlert
from flows.tests.kit import Kit
from testkit.api_functions import functions as api_functions

pytestmark = pytest.mark.kernel

BAD = (
    "http://example.org/", "https://127.0.0.1/", "https://[::ffff:10.0.0.1]/", "https://localhost/",
    "https://user@example.org/", "https://example.org:0/", "https://example.org/a b", "https://[::1",
    "javascript:alert(1)", "example.org", " ",
)  # fmt: skip
PUBLIC_KEY = "s55M6qcZBQPgB+smQdBgAF+yah7RRUnFYXSOzCOArBM="
# What each function is given, all but the address.
GIVEN: dict[type, Any] = {
    Webhook: Webhook("", secret="quiet"),
    AlertRule: AlertRule("many", "count", ">", 1, secret="quiet"),
    Peer: Peer(
        "51cd1084-945b-42fc-9bfd-8fca5d9dc300", "ship", "s55M6qcZBQPgB+smQdBgAF+yah7RRUnFYXSOzCOArBM="
    ),
}


def _savers() -> dict[str, type]:
    """Return the functions of the public API that take a value with an address, with its class."""
    found: dict[str, type] = {}
    for name, function in api_functions().items():
        for parameter, kind in get_type_hints(function).items():
            if parameter != "return" and "url" in getattr(kind, "__annotations__", {}):
                found[name] = kind
    return found


SAVERS = _savers()


def test_every_function_that_saves_an_address_is_tested() -> None:
    assert set(SAVERS.values()) == set(GIVEN)


@pytest.mark.parametrize("url", BAD)
@pytest.mark.parametrize("name", SAVERS)
def test_a_bad_address_is_never_saved(kit: Kit, name: str, url: str) -> None:
    kit.final("false")
    save: Callable[..., Any] = api_functions()[name]
    given = replace(GIVEN[SAVERS[name]], url="https://example.org/")
    if isinstance(given, Peer):  # one of the site, which is replaced by its number
        save(given, "olga", conn=kit.conn)
        ways = [(replace(given, url=url), "olga")]
    else:
        saved = save(kit.name, given, "olga", conn=kit.conn)
        ways = [(kit.name, replace(given, url=url), "olga", number) for number in (None, saved.id)]
    for arguments in ways:
        with pytest.raises(BadAlert) as error:
            save(*arguments, conn=kit.conn)
        assert error.value.sqlstate == "WD508"
