"""The characters of a file of XML, in the encoding that it declares."""

from __future__ import annotations

import codecs
import re

_DECLARED = re.compile(rb"""\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_IN_TEXT = re.compile(r"""(<\?xml[^>]{0,200}?encoding\s*=\s*)["'][A-Za-z0-9._-]{1,40}["']""")
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_READ = frozenset({"utf-8", "ascii", "utf-16", "iso8859-1", "iso8859-15", "cp1252"})


def decoded(content: bytes) -> str:
    """Return a file as text whose declaration, if it has one, says UTF-8. Raises UnicodeDecodeError.

    An encoding that is not read is taken for UTF-8.
    """
    name = encoding(content)
    text = content.decode("utf-8-sig" if name == "utf-8" else name)
    return text if name == "utf-8" else _IN_TEXT.sub(r'\1"UTF-8"', text, count=1)


def encoding(content: bytes) -> str:
    """Return the encoding of a file: that of its first bytes, or the one that it declares."""
    if content.startswith(_WIDE):
        return "utf-16"
    found = _DECLARED.match(content)
    try:
        name = codecs.lookup(found[1].decode("ascii")).name if found is not None else "utf-8"
    except LookupError:
        return "utf-8"
    return name if name in _READ and name != "utf-16" else "utf-8"
