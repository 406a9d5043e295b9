"""The URLs of the live connections."""

from django.urls import path, re_path

from monitor.consumers import FlowConsumer
from pages.live.consumers import UnknownUrlConsumer

_live = FlowConsumer.as_asgi()

websocket_urlpatterns = [
    path("ws/", _live),
    path("ws/flows/<slug:name>/", _live),
    path("ws/instances/<int:wid>/", _live),
    re_path("", UnknownUrlConsumer.as_asgi()),
]
