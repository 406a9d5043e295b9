"""The shell of WSQL: reads statements of several lines, and commands that begin with a backslash."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from django.db import transaction

from flows import api
from flows.errors import UnknownFlow
from flows.languages.wsql.errors import WsqlError, meant
from flows.languages.wsql.help import completions, explanation, titles
from flows.languages.wsql.model import CONDITION, TRANSITION, Model
from flows.languages.wsql.run import Outcome, Session

HISTORY = Path.home() / ".wsql_history"
_KEPT = 1_000  # lines of the history
_HIDDEN = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\$\$.*?\$\$|\"(?:[^\"]|\"\")*\"", re.DOTALL)
_BLOCK = re.compile(r"(?:^|;)\s*(begin|commit|rollback)\s*(?=;)", re.IGNORECASE)
COMMANDS = {
    r"\?": "lists these commands",
    r"\h [WORDS]": r"lists the statements, or explains those with the words: \h create wed-trigger",
    r"\sql STATEMENT": "shows the SQL that a statement becomes",
    r"\f FLOW": "chooses the flow to which statements apply",
    r"\i FILE": "runs a file",
    r"\e [FILE]": "opens the last statements, or a file, in the editor of EDITOR, and runs what is saved",
    r"\q": "leaves the shell",
}


_WORDS = {"help": r"\?", "exit": r"\q", "quit": r"\q"}


class Shell:
    """Reads lines and runs what they say; errors are printed and the shell goes on."""

    def __init__(
        self,
        session: Session,
        read: Callable[[str], str],
        write: Callable[[str], object],
        show: Callable[[list[Outcome]], object],
    ) -> None:
        self.session, self.read, self.write, self.show = session, read, write, show
        self.last = ""
        self.going_on = True

    def loop(self) -> None:
        """Read and run until the end of the input or \\q. An interrupt drops what was typed."""
        self.write(r"Statements end with ;. Help: \?")
        while self.going_on:
            try:
                self.entered(self.statements())
            except EOFError:
                self.write("")
                self.going_on = False
            except KeyboardInterrupt:
                self.write("")

    def statements(self) -> str:
        """Return the lines up to one that ends statements and is in no block, or a command."""
        text = ""
        while not is_complete(text):
            line = self.read(f"{self.session.flow or 'wsql'}{'=' if not text.strip() else '-'}> ")
            if not text.strip() and (command := _command_in(line)):
                return command
            text += f"{line}\n"
        return text

    def entered(self, text: str) -> None:
        """Run statements or a command."""
        if text.startswith("\\"):
            self._command(text)
        elif text.strip(" \n;"):
            self.last = text.strip()
            self.run(text)

    def run(self, text: str) -> None:
        """Run statements, and print what they did and the error, if there is one."""
        try:
            for outcomes in self.session.run(text):
                self.show(outcomes)
        except WsqlError as error:
            self.write("\n".join(said(each) for each in (error, *error.others)))

    def _command(self, text: str) -> None:
        word, _space, rest = text[1:].partition(" ")
        command: Callable[[str], None] | None = {
            "?": self._help,
            "h": self._explain,
            "help": self._explain,
            "sql": self._sql,
            "f": self._flow,
            "i": self._file,
            "e": self._edit,
            "q": self._quit,
        }.get(word.lower())
        if command is None:
            known = [each.split()[0] for each in COMMANDS]
            hint = meant(f"\\{word}", known)
            self.write(rf"There is no command \{word}. {hint}".strip())
            return
        try:
            command(rest.strip().rstrip(";"))
        except OSError as error:
            self.write(f"{error.filename or rest}: {error.strerror}.")
        except UnicodeDecodeError:
            self.write("The file is not text in UTF-8.")

    def _help(self, _rest: str) -> None:
        width = max(map(len, COMMANDS))
        self.write("\n".join(f"{name.ljust(width)}  {what}" for name, what in COMMANDS.items()))

    def _explain(self, words: str) -> None:
        found = explanation(words) if words else list(titles().values())
        self.write("\n".join(found) or r"No statement has these words. \h lists all.")

    def _sql(self, statement: str) -> None:
        self.run(f"EXPLAIN {statement}" if statement else "")

    def _flow(self, name: str) -> None:
        try:
            with transaction.atomic():
                api.drafts.named_objects(name)
        except UnknownFlow:
            self.write(f"There is no flow {name}.")
        else:
            self.session.flow = name
            self.run("LIST WED-ATTRIBUTES")

    def _file(self, name: str) -> None:
        self.run(Path(name).expanduser().read_text(encoding="utf-8"))

    def _edit(self, name: str) -> None:
        """Open an editor, and run what it saved; what is not changed is not run again."""
        if name:
            self._edited(Path(name).expanduser())
            return
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "statements.wsql"
            path.write_text(f"{self.last}\n")
            self._edited(path)

    def _edited(self, path: Path) -> None:
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        editor = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
        subprocess.run([*editor, str(path)], check=False)
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        if text != before:
            self.write(text.rstrip("\n"))
            self.entered(text)

    def _quit(self, _rest: str) -> None:
        self.going_on = False


def _command_in(line: str) -> str:
    """Return the command that a line is; words that other shells know are commands, too."""
    text = line.strip()
    return text if text.startswith("\\") else _WORDS.get(text.lower().rstrip(";"), "")


def is_complete(text: str) -> bool:
    """Return whether a text ends with ; outside of quotes and comments, and every BEGIN in it has an end."""
    shown = _HIDDEN.sub(" ", text)
    if not shown.rstrip().endswith(";") or "'" in shown or "$$" in shown or "/*" in shown:
        return False
    words = [each.lower() for each in _BLOCK.findall(shown)]
    return not words or words[-1] != "begin"


def said(error: WsqlError) -> str:
    """Return an error with its place."""
    return f"line {error.line}, column {error.column}: {error.sentence}\n{error.excerpt}"


class Completer:
    """Completes words of the grammar, and the names of the flow, for readline."""

    def __init__(self, session: Session, typed: Callable[[], str]) -> None:
        self.session, self.typed = session, typed
        self.found: list[str] = []

    def __call__(self, text: str, state: int) -> str | None:
        if state == 0:
            self.found = self.complete(text)
        return self.found[state] if state < len(self.found) else None

    def complete(self, word: str) -> list[str]:
        """Return the possible completions of the word after the text before it."""
        if word.startswith("\\"):
            return [name for name in (each.split()[0] for each in COMMANDS) if name.startswith(word)]
        words, names = completions(self.typed())
        found = [each for each in words if each.startswith(word.upper())]
        if names:
            found += [each for each in self._names() if each.startswith(word.lower())]
        return [f"{each} " for each in found]

    def _names(self) -> list[str]:
        if not self.session.flow:
            return []
        model = Model.read(self.session.flow)
        triggers = [each["name"] for each in model.triggers if each.get("name")]
        names = [*model.types, *model.named(CONDITION), *model.named(TRANSITION), *triggers]
        return [*dict.fromkeys(name for name in names if name.isidentifier())]


def use_readline(session: Session) -> None:
    """Give the input of this process a history, which is kept in a file, and completion."""
    import atexit
    import readline

    if HISTORY.exists():
        readline.read_history_file(HISTORY)
    readline.set_history_length(_KEPT)
    atexit.register(_keep_history)
    readline.set_completer_delims(" \t\n;,(){}=")
    readline.set_completer(Completer(session, lambda: readline.get_line_buffer()[: readline.get_endidx()]))
    readline.parse_and_bind("tab: complete")


def _keep_history() -> None:
    """Write the history for the next shell, without passwords; it is readable by its user only."""
    import readline

    for place in reversed(range(readline.get_current_history_length())):
        if "password" in (readline.get_history_item(place + 1) or "").lower():
            readline.remove_history_item(place)
    HISTORY.touch(mode=0o600)
    readline.write_history_file(HISTORY)
