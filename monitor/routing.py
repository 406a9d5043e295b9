"""The URLs of the live lines."""

from django.urls import path, re_path

from monitor.lines import FlowLine
from pages.live.consumers import UnknownUrlConsumer

_live = FlowLine.as_asgi()

websocket_urlpatterns = [
    path("ws/", _live),
    path("ws/flows/<slug:name>/", _live),
    path("ws/instances/<int:wid>/", _live),
    re_path("", UnknownUrlConsumer.as_asgi()),
]
