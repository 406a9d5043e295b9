"""Messages between installations: a content with a signature (Ed25519) over its exact bytes.

The content is the text of a JSON object as the database writes it, so that no number is changed by a second
parser. The envelope is an object with the content as a text, the number of its sender, and the signature.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from flows.errors import BadPackage

FORMAT = "wedsql-move-1"
MAX_BYTES = 64 * 1024 * 1024
"""A package has up to 32 MiB; as a text in an envelope it is at most twice as long."""
_PARTS = {"format", "from", "content", "signature"}


@dataclass(frozen=True, slots=True)
class Envelope:
    """A message as it was sent. Nothing of it may be used before `check` has accepted the signature."""

    sender: str
    content: str
    signature: bytes

    def check(self, public_key: bytes) -> None:
        """Check the signature. Raises BadPackage."""
        # Workers and the reaper import this module and seldom sign: the package costs each of them memory.
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        try:
            Ed25519PublicKey.from_public_bytes(public_key).verify(self.signature, _signed(self.content))
        except (InvalidSignature, ValueError) as error:
            raise BadPackage(
                _("The signature of the message is not that of the installation that it names."),
                hint=_("Compare the registered public key with the one that the other installation shows."),
            ) from error

    def head(self) -> dict[str, Any]:
        """Return the content, of which numbers may be rounded. Raises BadPackage."""
        return _object(self.content)


def new_keys() -> tuple[bytes, bytes]:
    """Return a new public and private key."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    private = Ed25519PrivateKey.generate()
    return private.public_key().public_bytes_raw(), private.private_bytes_raw()


def sealed(content: str, sender: str, private_key: bytes) -> bytes:
    """Return a content as a signed message."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    signature = Ed25519PrivateKey.from_private_bytes(private_key).sign(_signed(content))
    parts = {
        "format": FORMAT,
        "from": sender,
        "signature": base64.b64encode(signature).decode(),
        "content": content,
    }
    return json.dumps(parts, ensure_ascii=False, indent=1).encode()


def opened(message: bytes) -> Envelope:
    """Return a message whose signature has not been checked. Raises BadPackage."""
    if len(message) > MAX_BYTES:
        said = _("The message is larger than %(limit)s MB.") % {"limit": MAX_BYTES // 1048576}
        raise BadPackage(said)
    parts = _object(message)
    if parts.get("format") != FORMAT or set(parts) != _PARTS:
        raise BadPackage(
            _("This is not a message of an installation."),
            hint=_("Give the file as it was downloaded there."),
        )
    try:
        signature = base64.b64decode(parts["signature"], validate=True)
        sender, content = str(parts["from"]), parts["content"]
        content.encode()
    except (TypeError, AttributeError, ValueError, binascii.Error) as error:
        raise BadPackage(_("The message is damaged."), hint=_("Have it sent again.")) from error
    return Envelope(sender, content, signature)


def _signed(content: str) -> bytes:
    return f"{FORMAT}\n".encode() + content.encode()


def _object(text: str | bytes) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadPackage(_("The message is damaged."), hint=_("Have it sent again.")) from error
    if not isinstance(found, dict):
        raise BadPackage(_("The message is damaged."), hint=_("Have it sent again."))
    return found
