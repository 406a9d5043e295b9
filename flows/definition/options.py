"""What is said about one option of a definition, and how the options of a typed dictionary are read.

An option is spelled once: as a key of `Definition`, `AttributeDefinition` or `TriggerDefinition`, with its
Python type and an `Option`. Model fields, forms, comparisons, files and the documentation come from these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from types import NoneType
from typing import Annotated, Any, Required, get_args, get_origin, get_type_hints

from django.utils.translation import gettext_lazy as _

from flows.errors import BadDefinition

# Python types whose column is not the obvious one.
SmallInteger = Annotated[int, "smallint"]
Interval = Annotated[str, "interval"]

_SQL_TYPES: dict[Any, str] = {str: "text", int: "integer", bool: "boolean", list[str]: "text[]"}


class Group(Enum):
    """The part of a form that an option is in; the first part has no title and is always open."""

    MAIN = "main"
    WAITING = "waiting"
    DESCRIBING = "describing"
    LIMITS = "limits"


# Apart from the members, whose values would be hashed, for which a label needs a language.
TITLES = {
    Group.MAIN: None,
    Group.WAITING: _("Failing, waiting and repeating"),
    Group.DESCRIBING: _("Writing and describing"),
    Group.LIMITS: _("Limits"),
}


# Compared by identity: its labels have no value before there is a language to translate into.
@dataclass(frozen=True, kw_only=True, eq=False)
class Option:
    """One option: how it is shown to people, and what it is when nothing is given.

    Args:
        label: the name of its field on a form.
        help: one or two sentences about it, for the form and the documentation.
        default: its value where none is given, as the kernel writes it.
        choices: the values that it may have, each with a label.
        column: its column in the kernel's table, where the paper has another name for it.
        group: the part of the form that it is in.
        beside: whether it is on one line of the form with the option before it.
        lines: the height of its field on the form.
        hidden: whether it is stored and copied only, because nothing makes use of it yet.
        name, type, required, nullable: read from the typed dictionary, never given.
    """

    label: Any = ""
    help: Any = ""
    default: Any = None
    choices: Mapping[str, Any] = field(default_factory=dict)
    column: str = ""
    group: Group = Group.MAIN
    beside: bool = False
    lines: int = 1
    hidden: bool = False
    name: str = ""
    type: str = ""
    required: bool = False
    nullable: bool = False


class Options(dict[str, Option]):
    """The options of one kind of thing by their names, in the order in which people read them."""

    def __missing__(self, name: str) -> Option:
        raise BadDefinition(
            f"There is no option “{name}”.", hint=f"The options are {', '.join(o.name for o in self.shown)}."
        )

    @property
    def defaults(self) -> dict[str, Any]:
        """The value of each option where none is given."""
        return {option.name: option.default for option in self.values()}

    @property
    def shown(self) -> tuple[Option, ...]:
        """The options that forms and the documentation show."""
        return tuple(option for option in self.values() if not option.hidden)

    def columns(self, names: Iterable[str]) -> list[str]:
        """Return the columns of these options, in their order."""
        return [self[name].column for name in names]

    def given(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values that are not the default, those of no option included."""
        unset = self.defaults
        return {name: value for name, value in values.items() if name not in unset or value != unset[name]}


def options_of(described: type) -> Options:
    """Return the options of a typed dictionary; keys without an `Option` are none."""
    hints = get_type_hints(described, include_extras=True)
    found = (_read(name, hint) for name, hint in hints.items())
    return Options({option.name: option for option in found if option})


def _read(name: str, hint: Any) -> Option | None:
    required = get_origin(hint) is Required
    kind, *notes = get_args(get_args(hint)[0] if required else hint) or (hint,)
    option = next((note for note in notes if isinstance(note, Option)), None)
    if option is None:
        return None
    nullable = NoneType in get_args(kind)
    plain = next(part for part in get_args(kind) if part is not NoneType) if nullable else kind
    marks = [note for note in notes if isinstance(note, str)]
    return replace(
        option,
        name=name,
        type=_sql_type(plain, marks),
        required=required,
        nullable=nullable,
        column=option.column or name,
    )


def _sql_type(plain: Any, marks: list[str]) -> str:
    """Return the column type: the mark of an alias such as `Interval`, or that of the Python type.

    `Annotated` around a marked type joins both lists of notes; inside a union the mark stays where it is.
    """
    if get_origin(plain) is Annotated:
        return str(get_args(plain)[1])
    return marks[0] if marks else _SQL_TYPES[plain]
