"""Files in which each value that XML Schema collapses has blanks and line breaks around it."""

from __future__ import annotations

from xml.etree import ElementTree

from flows.languages.bpmn.document.vocabulary import DIAGRAM, MODEL

# Attributes of type xsd:string in the schema of BPMN 2.0; of all others, blanks around the value say nothing.
STRINGS = {
    *("name", "errorCode", "escalationCode", "exporter", "exporterVersion"),
    *("scriptFormat", "textFormat", "value"),
}
# Elements whose text is an identifier or a reference.
REFERENCES = {
    *("incoming", "outgoing", "flowNodeRef", "eventDefinitionRef", "sourceRef", "targetRef"),
    *("loopDataInputRef", "loopDataOutputRef", "dataInputRefs", "dataOutputRefs"),
    *("messageRef", "supportedInterfaceRef", "operationRef", "resourceRef"),
}


def written(content: bytes, *, padded: bool) -> bytes:
    """Return a file as ElementTree writes it, with blanks around such values if asked."""
    root = ElementTree.fromstring(content)  # noqa: S314 - files of tests
    for element in root.iter():
        space, _brace, tag = element.tag[1:].partition("}")
        if not padded or space not in (MODEL, DIAGRAM):
            continue
        for name in {*element.keys()} - STRINGS:
            element.set(name, value(element.get(name, "")) if name[0] != "{" else element.get(name, ""))
        if tag in REFERENCES and element.text:
            element.text = value(element.text)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)


def value(text: str) -> str:
    """Return a value with blanks around it."""
    return f" \n\t{text}\n "
