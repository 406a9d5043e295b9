"""The modules of the web process of `wedsql up`; importing this one needs no database."""

import sys
from types import ModuleType

# The process listens without TLS, which a proxy adds; Twisted and Autobahn then do without OpenSSL.
sys.modules["OpenSSL"] = None  # type: ignore[assignment]
# Autobahn imports WAMP and its cryptography together with WebSockets, which are all that Daphne uses.
_wamp = ModuleType("autobahn.twisted.wamp")
_wamp.ApplicationSession = object  # type: ignore[attr-defined]
sys.modules[_wamp.__name__] = _wamp

import daphne.cli  # noqa: E402, F401 - first, because it chooses Twisted's event loop
import django  # noqa: E402

django.setup()

from monitor import routing  # noqa: E402, F401
from pages.live import limits, origin, users  # noqa: E402, F401
from wedsql_site import urls  # noqa: E402, F401
from wedsql_site.web import attempts, frames, pacing, per_address, slow_clients  # noqa: E402, F401
