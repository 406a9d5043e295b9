"""The doors of the product, each tried with hostile input: what an honest refusal is, and what is none."""

from __future__ import annotations

import html.parser
import http.client
from collections import Counter
from random import Random
from typing import Any
from urllib.parse import quote, urlencode

import psycopg

from chaos import hostile
from chaos.dashboard import Browser
from chaos.live import Gone, LiveLine
from flows import api
from flows.errors import DatabaseGone, WedError

FLOW = "doors"
BASE: dict[str, Any] = {
    "attributes": [
        {"name": "a", "default": "0"}, {"name": "b"}, {"name": "n", "type": "integer", "default": "0"},
        {"name": "d", "type": "date"}, {"name": "j", "type": "jsonb"},
    ],
    "triggers": [
        {"transition": "tr_door", "predicate": "a = '0' or n >= 0", "mode": "lease"},
        {"predicate": "b = 'end'", "final": True},
    ],
}  # fmt: skip

PARAMETERS = "wids top before after status a op v exact behind order seq".split()


class Doors:
    """Tries them one after the other; `wrong` lists what should not have happened."""

    def __init__(self, conn: psycopg.Connection[Any], browser: Browser, dice: Random) -> None:
        self.conn = conn
        self.browser = browser
        self.dice = dice
        self.answers: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.accepted = 0
        self.flow_id = 0
        self._form: list[tuple[str, str]] = []

    def open(self) -> None:
        """Define the flow that is attacked."""
        self.flow_id = api.create_flow(FLOW, conn=self.conn)
        self.restore()

    def restore(self) -> None:
        """Put the definition back."""
        api.publish(FLOW, BASE, conn=self.conn)

    def attack(self, door: str) -> None:
        """One input through one door, and how it was answered."""
        try:
            answer = getattr(self, f"_{door}")()
        except WedError as refused:
            answer = refused.code or type(refused).__name__
            if refused.code.startswith(("XX", "58")) or isinstance(refused, DatabaseGone):
                self._tell(door, f"{type(refused).__name__} {refused.code} {refused.message[:200]}")
        except psycopg.Error as refused:
            answer = refused.sqlstate or type(refused).__name__
            if answer.startswith(("XX", "58")):
                self._tell(door, f"{answer} {str(refused)[:200]}")
            if self.conn.closed:
                raise
        except UnicodeEncodeError:
            answer = "not UTF-8"
        self.answers[f"{door} {answer}"] += 1

    def _tell(self, door: str, what: str) -> None:
        sentence = f"{door}: {what}"
        if len(self.wrong) < 20 and sentence not in self.wrong:
            self.wrong.append(sentence)

    # -- the API
    def _start(self) -> str:
        key = self.dice.choice([None, hostile.text(self.dice)[:50]])
        known = key is not None and self._count("select count(*) from wedsql.instance where key = %s", key)
        api.start(
            FLOW,
            hostile.state(self.dice),
            actor=hostile.text(self.dice)[:30].replace("\0", ""),
            key=key,
            conn=self.conn,
        )
        self.accepted += not known
        return "accepted"

    def _complete(self) -> str:
        self._begin_one()
        job = api.lease_many(FLOW, ["tr_door"], 1, "intruder", conn=self.conn)
        if not job:
            return "no job"
        if self.dice.random() < 0.5:
            api.complete(job[0], hostile.state(self.dice), conn=self.conn)
        else:
            api.complete(job[0], set_text=f"a = {hostile.text(self.dice)}", conn=self.conn)
        return "accepted"

    def _begin_one(self) -> None:
        if not api.offer(FLOW, ["tr_door"], 1, conn=self.conn):
            self.restore()
            api.start(FLOW, {}, conn=self.conn)
            self.accepted += 1

    def _publish(self) -> str:
        api.publish(FLOW, hostile.definition(self.dice, BASE), conn=self.conn)
        return "accepted"

    def _predicate(self) -> str:
        api.check_predicate(FLOW, hostile.text(self.dice), conn=self.conn)
        return "accepted"

    # -- SQL, as psql sends it
    def _sql(self) -> str:
        statement = self.dice.choice(hostile.FORBIDDEN)
        if self.dice.random() < 0.3:
            self.conn.execute(statement)
            self.conn.execute("reset role; reset session authorization")
            if not statement.startswith(("update doors", "delete from doors")):
                self._tell("sql", f"was allowed: {statement}")
            return "accepted"
        self.conn.execute(
            self.dice.choice([
                "insert into doors.wed_trig (trname, cpred) values (%s, %s)",
                "insert into doors.wed_attr (aname, adv) values (%s, %s)",
                "update doors.wed_attr set adv = %s where aname = %s",
                "update doors.wed_trig set cpred = %s where trname = %s",
                "select wedsql.check_predicate(%s, %s)",
                "select wedsql.suggest(%s, array[%s])",
                "select wedsql.start(%s, jsonb_build_object('a', %s::text))",
            ]),
            (hostile.text(self.dice), hostile.text(self.dice)),
        )  # fmt: skip
        return "accepted"

    # -- the site
    def _http(self, method: str, path: str, form: bytes | None = None, **headers: str) -> str:
        try:
            status, _ = self.browser.request(method, path, form, **headers)
        except (OSError, http.client.HTTPException) as error:
            self._tell("http", f"{method} {path[:100]!r}: {type(error).__name__}")
            return type(error).__name__
        if status >= 500:
            self._tell("http", f"{method} {path[:200]!r} was answered with {status}")
        return str(status)

    def _pages(self) -> str:
        nasty = quote(hostile.text(self.dice)[:200], safe="/", errors="replace")
        query = urlencode({
            self.dice.choice(PARAMETERS):
                hostile.text(self.dice)[:300] for _ in range(3)
        }, errors="replace")  # fmt: skip
        path = self.dice.choice([
            f"/live/flows/{FLOW}/?{query}", f"/flows/{FLOW}/?{query}&a=n&op=gt&v=1", f"/flows/{nasty}/",
            f"/instances/{nasty}.json", f"/live/instances/1/?{query}", f"/flows/{FLOW}/jobs/?{query}",
            f"/instances/99999999999999999999/?{query}", f"/{nasty}",
            f"/flows/{FLOW}/?a={nasty}&op=contains&v={nasty}", f"/workers/?{query}",
        ])  # fmt: skip
        return self._http("GET", path)

    def _admin(self) -> str:
        """The designer's form with a few of its fields overwritten, whatever they are."""
        path = f"/admin/flows/flow/{self.flow_id}/change/"
        if not self._form or self.dice.random() < 0.05:
            self.restore()
            _, page = self.browser.request("GET", path)
            self._form = Fields.of(page)
        fields = dict(self._form)
        for name in self.dice.sample([*fields], k=min(3, len(fields))):
            if name != "csrfmiddlewaretoken":
                fields[name] = hostile.text(self.dice)
        body = urlencode(fields, errors="replace").encode()
        return self._http("POST", path, body, Referer=f"http://127.0.0.1:{self.browser.port}{path}")

    def _live(self) -> str:
        """A live line that is sent frames of every kind."""
        path = self.dice.choice(
            ["/ws/", f"/ws/flows/{FLOW}/", "/ws/instances/1/", "/ws/instances/99999999999/", "/ws/x"]
        )
        try:
            line = LiveLine(self.browser.port, path, self.browser.cookie)
            if line.status >= 500:
                self._tell("live", f"{path} was answered with {line.status}")
            if line.status == 101:
                for _ in range(3):
                    data = hostile.text(self.dice).encode(errors="replace")
                    line.send_bytes(data, self.dice.choice([1, 1, 2, 9]))
                while True:
                    line.receive()
        except Gone as gone:
            return str(gone)
        except (OSError, ValueError) as error:
            return type(error).__name__
        return str(line.status)

    def _count(self, query: str, *params: object) -> int:
        row = self.conn.execute(query, params).fetchone()
        return int(row[0]) if row else 0


class Fields(html.parser.HTMLParser):
    """The fields of a page's forms with their values."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self._select = self._text = ""

    @classmethod
    def of(cls, page: str) -> list[tuple[str, str]]:
        parser = cls()
        parser.feed(page)
        return parser.found

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name = given.get("name") or ""
        if tag == "input" and name and given.get("type") not in ("submit", "checkbox"):
            self.found.append((name, given.get("value") or ""))
        elif tag == "input" and given.get("type") == "checkbox" and "checked" in given:
            self.found.append((name, "on"))
        elif tag == "select":
            self._select = name
        elif tag == "option" and "selected" in given and self._select:
            self.found.append((self._select, given.get("value") or ""))
        elif tag == "textarea":
            self._text = name

    def handle_data(self, data: str) -> None:
        if self._text:
            self.found.append((self._text, data.strip()))
            self._text = ""
