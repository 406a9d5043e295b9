"""The description of one option of a definition, and how it is read from a typed dictionary.

An option is declared once: as a key of `Definition`, `AttributeDefinition` or `TriggerDefinition`, with its
Python type and an `Option`. Model fields, forms, comparisons, files and the documentation are generated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from types import NoneType
from typing import Annotated, Any, Required, get_args, get_origin, get_type_hints

from django.utils.translation import gettext_lazy as _

from flows.errors import BadDefinition

# Python types marked with their column type.
SmallInteger = Annotated[int, "smallint"]
Interval = Annotated[str, "interval"]

_SQL_TYPES: dict[Any, str] = {
    str: "text",
    int: "integer",
    bool: "boolean",
    list[str]: "text[]",
    dict[str, Any]: "jsonb",
}


class Group(Enum):
    """The part of the form that has an option; the first part has no title and is always open."""

    MAIN = "main"
    WAITING = "waiting"
    UNDOING = "undoing"
    TASKS = "tasks"
    DESCRIBING = "describing"
    CODES = "codes"
    LIMITS = "limits"


# Not the values of the members: those are hashed, and hashing a lazy label needs an active language.
TITLES = {
    Group.MAIN: None,
    Group.WAITING: _("Failing, waiting and repeating"),
    Group.UNDOING: _("Undoing"),
    Group.TASKS: _("Tasks of people"),
    Group.DESCRIBING: _("Writing and describing"),
    Group.CODES: _("Names in programs"),
    Group.LIMITS: _("Limits"),
}


# Compared by identity: comparing lazy labels needs an active language.
@dataclass(frozen=True, kw_only=True, eq=False)
class Option:
    """One option: its presentation and its default.

    Args:
        label: the label of its form field.
        help: one or two sentences about it, for the form and the documentation.
        default: its default value, as the kernel writes it.
        choices: the values that it may have, each with a label.
        column: its column in the kernel's table, if the paper has another name for it.
        group: its part of the form.
        same_line: whether it is on the same line of the form as the option before it.
        lines: the height of its form field.
        hidden: whether it is only stored and copied, because it has no effect yet.
        name, type, required, nullable: set from the typed dictionary.
    """

    label: Any = ""
    help: Any = ""
    default: Any = None
    choices: Mapping[str, Any] = field(default_factory=dict)
    column: str = ""
    group: Group = Group.MAIN
    same_line: bool = False
    lines: int = 1
    hidden: bool = False
    name: str = ""
    type: str = ""
    required: bool = False
    nullable: bool = False


class Options(dict[str, Option]):
    """The options of a flow, an attribute or a trigger by their names, in the order of declaration."""

    def __missing__(self, name: str) -> Option:
        raise BadDefinition(
            f"There is no option “{name}”.", hint=f"The options are {', '.join(o.name for o in self.shown)}."
        )

    @property
    def defaults(self) -> dict[str, Any]:
        """Return the default of each option."""
        return {option.name: option.default for option in self.values()}

    @property
    def shown(self) -> tuple[Option, ...]:
        """Return the options that forms and the documentation show."""
        return tuple(option for option in self.values() if not option.hidden)

    def by_group(self) -> Options:
        """Return the options with those of one group together, in the order of the groups."""
        places = list(Group)
        found = sorted(self.values(), key=lambda option: places.index(option.group))
        return Options({option.name: option for option in found})

    def columns(self, names: Iterable[str]) -> list[str]:
        """Return the columns of these options, in the given order."""
        return [self[name].column for name in names]

    def given(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values that differ from the default, and those of names that are not options."""
        unset = self.defaults
        return {name: value for name, value in values.items() if name not in unset or value != unset[name]}


def options_of(described: type) -> Options:
    """Return the options of a typed dictionary; keys without an `Option` are left out."""
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
