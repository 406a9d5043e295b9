"""The site, which waits for a client that reads nothing as long as a test needs."""

from __future__ import annotations

from wedsql_site.web import pacing

pacing.STALLED_SECONDS = pacing.PATIENT_SECONDS = 900.0

from wedsql_site.asgi import application  # noqa: E402 - it installs what was set above

__all__ = ["application"]
