"""The app `workers`."""

from django.apps import AppConfig


class WorkersConfig(AppConfig):
    name = "workers"
    label = "workers"
    verbose_name = "WED workers"

    def ready(self) -> None:
        from workers import checks  # noqa: F401 - importing registers them
