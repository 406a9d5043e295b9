"""The app `workers`."""

from django.apps import AppConfig


class WorkersConfig(AppConfig):
    name = "workers"
    label = "workers"
    verbose_name = "WED workers"

    def ready(self) -> None:
        from flows import code_places
        from flows.capabilities.alerts import receivers
        from flows.definition import stand_ins
        from flows.messages import recognize
        from workers import checks, discovery, messages  # noqa: F401 - importing registers the checks

        recognize((*messages.SENTENCES, *receivers.SENTENCES))
        stand_ins.provide(discovery.stand_in)
        code_places.provide(discovery.code_place)
