"""The modules of the web process; importing this one needs no database."""

import daphne.cli  # noqa: F401 - first, because it chooses Twisted's event loop
import django

django.setup()

from monitor import routing  # noqa: E402, F401
from pages.live import bounded, origin, users  # noqa: E402, F401
from wedsql_site import attempts, frames, pacing, per_address, slow_clients, urls  # noqa: E402, F401
