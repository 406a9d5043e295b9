"""The web process: pages and static files over HTTP, live updates over WebSockets."""

import gc
import os
import sys

from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.core.asgi import get_asgi_application

from wedsql_site.environment import BadEnvironment
from wedsql_site.ondemand import start_database
from wedsql_site.postgres import PostgresError
from wedsql_site.web.exception_filter import ExceptionFilter
from wedsql_site.web.request_threads import RequestThreads

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "wedsql_site.settings")
try:
    start_database()
    _pages = get_asgi_application()
except (BadEnvironment, PostgresError) as error:
    sys.exit(f"wedsql: {error}")

from monitor.routing import websocket_urlpatterns
from pages.live.limits import BoundedInput
from pages.live.origin import SameOrigin
from pages.live.users import live_user_stack
from wedsql_site import urls as urls  # the first page does not wait for urls
from wedsql_site.web import endings, frames, pacing, slow_clients
from wedsql_site.web.attempts import OneAttemptAtATime
from wedsql_site.web.per_address import PerAddress

slow_clients.install()
frames.install()
pacing.install()
endings.install()

_live = BoundedInput(live_user_stack(URLRouter(websocket_urlpatterns)))
_sockets = AllowedHostsOriginValidator(SameOrigin(_live))
_threads = RequestThreads(ProtocolTypeRouter({"http": _pages, "websocket": _sockets}))
application = ExceptionFilter(PerAddress(OneAttemptAtATime(_threads)))

# What is loaded by now stays, so it is exempt from garbage collection. A page makes ten thousands of objects,
# of which almost all are deleted with their last reference.
gc.collect()
gc.freeze()
gc.set_threshold(10_000, 20, 20)
