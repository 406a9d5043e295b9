"""manage.py moves: hands instances to other installations, and reads and writes the messages of moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import CommandParser

from flows import api, json_text
from flows.capabilities.approvals.verbs import plain, report
from flows.capabilities.moves.api import Move, Peer, SavedPeer
from flows.capabilities.moves.envelope import MAX_BYTES
from flows.management.base import FlowCommand, Usage
from flows.management.files import write_pieces
from flows.management.values import number

NAMES = {
    "identity": "a name for this installation",
    "register": "the number of the other installation",
    "unregister": "the number or name of an installation",
    "send": "the number of an instance",
    "back": "the number of a move",
    "message": "the number of a move",
    "definition": "the number of a move",
    "receive": "a file",
}


class Command(FlowCommand):
    help = (
        "Hands instances to other installations and takes them back; registers installations; writes the"
        " messages of moves to files and reads those of others."
    )
    records_actor = True
    reads = {
        "identity": "new",
        "peers": "",
        "register": "name key url accept disable",
        "unregister": "",
        "send": "to reason hours propose",
        "back": "reason",
        "list": "flow limit",
        "message": "file",
        "receive": "file",
        "definition": "",
    }

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("verb", choices=tuple(self.reads))
        parser.add_argument(
            "what", nargs="?", default="", help="what the verb is about: a number, a name or a file"
        )
        parser.add_argument(
            "--new", action="store_true", help="identity: replace it, in a copied database, by a new one"
        )
        parser.add_argument("--name", default="", help="register: what the other installation is called here")
        parser.add_argument("--key", default="", help="register: its public key")
        parser.add_argument("--url", default="", help="register: its address, such as https://b.example")
        parser.add_argument(
            "--accept",
            action="append",
            default=[],
            metavar="FLOW",
            help="register: a flow whose instances are received from it, * for all; repeatable",
        )
        parser.add_argument(
            "--disable", action="store_true", help="register: neither receive from it nor send to it"
        )
        parser.add_argument("--flow", help="list: only moves of this flow")
        parser.add_argument("--to", default="", help="send: the installation, by number or name")
        parser.add_argument("--reason", default="", help="send, back: why, for the history")
        parser.add_argument(
            "--hours", type=number(1, 2160), default=24, help="send: for how long the package is valid (24)"
        )
        parser.add_argument(
            "--propose", action="store_true", help="send: propose it where other persons have to approve it"
        )
        parser.add_argument("--file", default="", help="message, receive: the file that is written")
        parser.add_argument(
            "--limit", type=number(1, 500), default=50, help="list so many (default: 50, at most 500)"
        )

    def run(self, **options: Any) -> None:
        verb, what = options["verb"], options["what"]
        if bool(what) == (verb in ("peers", "list")):
            raise Usage(f"“{verb}” takes nothing more." if what else f"“{verb}” needs {NAMES[verb]}.")
        getattr(self, f"_{verb}")(what, options)

    def _identity(self, name: str, options: dict[str, Any]) -> None:
        found = api.moves.create_identity(name, replace=options["new"])
        if options["json"]:
            return self.write_json(asdict(found))
        self.stdout.write(f"This installation is “{found.name}”.")
        self.stdout.write(f"Its number: {found.id}")
        self.stdout.write(f"Its public key: {found.public_key}")

    def _peers(self, _what: str, options: dict[str, Any]) -> None:
        found = api.moves.peers()
        if options["json"]:
            return self.write_json([asdict(each) for each in found])
        headers = ("installation", "number", "address", "receives", "state", "away", "on their way")
        self.write_table(headers, map(_peer, found), "No installation is registered.")

    def _register(self, what: str, options: dict[str, Any]) -> None:
        peer = Peer(
            _uuid(what),
            options["name"],
            options["key"],
            options["url"] or None,
            options["accept"],
            not options["disable"],
        )
        saved = api.moves.save_peer(peer, options["actor"])
        if options["json"]:
            return self.write_json(asdict(saved))
        self.stdout.write(f"The installation “{saved.name}” is registered.")

    def _unregister(self, what: str, options: dict[str, Any]) -> None:
        api.moves.remove_peer(what, options["actor"])
        self._done({"removed": what}, f"The installation {what} is removed.", options)

    def _send(self, what: str, options: dict[str, Any]) -> None:
        if not (what.isascii() and what.isdigit() and len(what) <= 10 and int(what) < 2**31):
            raise Usage("“send” needs the number of an instance.")
        valid, actor = timedelta(hours=options["hours"]), options["actor"]
        if options["propose"]:
            given = {"peer": options["to"], "hours": options["hours"]}
            made = api.approvals.propose(int(what), "hand_over", given, options["reason"], actor=actor)
            return self._done(plain(made), report(made), options)
        move = api.moves.hand_over(int(what), options["to"], options["reason"], valid=valid, actor=actor)
        self._done(asdict(move), f"Instance {what} is handed to “{move.peer}” by move {move.id}.", options)

    def _back(self, what: str, options: dict[str, Any]) -> None:
        move = api.moves.take_back(_uuid(what), options["reason"], actor=options["actor"])
        self._done(asdict(move), f"Instance {move.wid} is back.", options)

    def _list(self, _what: str, options: dict[str, Any]) -> None:
        found = api.moves.list(flows=[options["flow"]] if options["flow"] else None, limit=options["limit"])
        if options["json"]:
            return self.write_json([asdict(each) for each in found])
        headers = ("move", "", "flow", "instance", "installation", "counter", "state", "expires", "problem")
        self.write_table(headers, map(_row, found), "No instance was moved.")

    def _message(self, what: str, options: dict[str, Any]) -> None:
        message = api.moves.message(_uuid(what))
        if message is None:
            return self._done({"written": False}, "The move needs no message.", options)
        self._write(message, options["file"], options["json"])

    def _receive(self, what: str, options: dict[str, Any]) -> None:
        with Path(what).open("rb") if Path(what).is_file() else _missing(what) as file:
            answer = api.moves.receive(file.read(MAX_BYTES + 1))
        if answer is None:
            return self._done({"written": False}, "The message was read. It needs no answer.", options)
        self._write(answer, options["file"], options["json"])

    def _definition(self, what: str, _options: dict[str, Any]) -> None:
        self.stdout.write(json_text.encode(api.moves.definition(_uuid(what)), str, indent=2))

    def _write(self, message: bytes, file: str, as_json: bool) -> None:
        if not file:
            return self.stdout.write(message.decode())
        write_pieces(Path(file), [message])
        self._done({"written": True}, f"The message is in {file}.", {"json": as_json})

    def _done(self, found: Mapping[str, Any], text: str, options: Mapping[str, Any]) -> None:
        if options["json"]:
            self.write_json(found)
        else:
            self.stdout.write(text)


def _missing(name: str) -> Any:
    raise Usage(f"There is no file {name}.")


def _uuid(text: str) -> str:
    try:
        return str(UUID(text))
    except ValueError as error:
        raise Usage("The number is one such as 2b1cbe0c-41a1-4b6c-8d0e-0b9c5a3f1d77.") from error


def _peer(peer: SavedPeer) -> tuple[Any, ...]:
    state = "on" if peer.enabled else "off"
    return peer.name, peer.id, peer.url, " ".join(peer.flows), state, peer.away, peer.waiting


def _row(move: Move) -> tuple[Any, ...]:
    state = "expired" if move.expired else move.state.replace("_", " ")
    problem = move.problem or move.last_error
    return (
        move.id,
        move.direction,
        move.flow,
        move.wid,
        move.peer,
        move.counter,
        state,
        move.expires_at,
        problem,
    )
