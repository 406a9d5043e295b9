"""The tour on the overview: the areas that the user may open, until the user has read it."""

from __future__ import annotations

import re

from django.contrib.auth.models import User
from django.test import Client

from monitor.tests.conftest import HERE, client_of, get, text_of


def tour(client: Client) -> str:
    """Return the panel of the tour, "" if the overview has none."""
    found = re.search(r'<section [^>]*aria-labelledby="tour-title".*?</section>', get(client, "/"), re.DOTALL)
    return found[0] if found else ""


def test_the_tour_names_the_areas_with_a_link_to_each(site: None, carol: Client) -> None:
    everything = client_of(User.objects.create_superuser("root" + HERE))
    shown = tour(everything)
    links = re.findall(r'<li><a class="strong" href="([^"]+)">(\w+)</a> \w', shown)
    assert [title for _address, title in links] == ["Work", "Design", "Watch", "Repair", "System"]
    assert [everything.get(address).status_code for address, _title in links] == [200] * 5
    assert "See what runs, what waits and why" in text_of(shown)
    assert re.findall(r">(\w+)</a>", tour(carol)) == ["Work", "Watch", "System"]


def test_the_tour_is_not_shown_again(carol: Client) -> None:
    assert "Do not show again" in tour(carol)
    answer = carol.post("/tour/")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")
    assert carol.cookies["tour"]["max-age"] == 365 * 24 * 3600
    assert tour(carol) == ""
    assert tour(client_of(User.objects.create_user("new" + HERE))) != ""


def test_the_tour_is_in_portuguese(carol: Client) -> None:
    shown = carol.get("/", headers={"Accept-Language": "pt-br"}).content.decode()
    assert "Onde encontrar o quê" in shown and "Não mostrar mais" in shown
    assert "Veja o que está em execução, o que espera e por quê" in shown
