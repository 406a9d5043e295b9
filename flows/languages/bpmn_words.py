"""The words of BPMN in sentences about graphs: the checks of a process are those of the graph it becomes."""

from __future__ import annotations

import re

# In this order: what a whole phrase says first.
_WORDS = (
    (re.compile(r"\bNode (“[^”]*”) of type begin has\b"), r"Start event \1 has"),
    (re.compile(r"\bNode (“[^”]*”) of type end has\b"), r"End event \1 has"),
    (re.compile(r"\bNode (“[^”]*”) of type \S+ has\b"), r"Element \1 has"),
    (re.compile(r"\bnode (“[^”]*”) of type \S+?(?=[:.])"), r"element \1"),
    (re.compile(r"\bno node of type begin\b"), "no start event"),
    (re.compile(r"\bno node without outgoing edges\b"), "no element without outgoing sequence flows"),
    (re.compile(r"\bThe flow of the graph\b"), "The flow of the process"),
    (re.compile(r"\bThe graph starts with no edge\b"), "The process starts with no sequence flow"),
    (re.compile(r"\bThe graph\b"), "The process"),
    (re.compile(r"\bevent gateway\b"), "event-based gateway"),
    (re.compile(r"\bno node\b"), "no element"),
    (re.compile(r"\ba node\b"), "an element"),
    (re.compile(r"\ban edge\b"), "a sequence flow"),
    (re.compile(r"\bNode(s?) (?=“)"), r"Element\1 "),
    (re.compile(r"\bnode(s?)\b"), r"element\1"),
    (re.compile(r"\bEdge(s?) (?=“)"), r"Sequence flow\1 "),
    (re.compile(r"\bedge(s?)\b"), r"sequence flow\1"),
)
_QUOTED = re.compile(r"(“[^”]*”)")


def in_bpmn_words(sentence: str) -> str:
    """Return a sentence about a graph with the words of BPMN; names in quotes stay as they are."""
    names = _QUOTED.findall(sentence)
    sentence = _QUOTED.sub("“”", sentence)
    for pattern, word in _WORDS:
        sentence = pattern.sub(word, sentence)
    parts = sentence.split("“”")
    return "".join(part + name for part, name in zip(parts, [*names, ""], strict=True))
