"""What a firing does to the counters of a graph, as a SET clause."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Moves:
    """What a firing does to counters: expressions that are added to each, and what they replace."""

    added: dict[str, list[str]] = field(default_factory=dict)
    given: dict[str, str] = field(default_factory=dict)

    def add(self, attribute: str, expression: str) -> None:
        """Add an expression to a counter."""
        self.added.setdefault(attribute, []).append(expression)

    def copy(self) -> Moves:
        """Return moves that change without these."""
        return Moves({name: [*each] for name, each in self.added.items()}, {**self.given})

    def text(self) -> str:
        """Return the SET clause; whole numbers are added up."""
        parts = [f"{name} = {value}" for name, value in self.given.items()]
        for name, expressions in self.added.items():
            if name in self.given:
                continue
            number = sum(int(each) for each in expressions if _is_number(each))
            others = [f" + {each}" for each in expressions if not _is_number(each)]
            if number or others:
                sign = f" {'+' if number > 0 else '-'} {abs(number)}" if number else ""
                parts.append(f"{name} = {name}{sign}{''.join(others)}")
        return ", ".join(parts)


def _is_number(text: str) -> bool:
    return text.lstrip("-").isdigit()
