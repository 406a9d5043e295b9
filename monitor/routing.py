"""The addresses of the live lines."""

from django.urls import path

from monitor.consumers import LiveConsumer

_live = LiveConsumer.as_asgi()

websocket_urlpatterns = [
    path("ws/", _live),
    path("ws/flows/<slug:name>/", _live),
    path("ws/instances/<int:wid>/", _live),
]
