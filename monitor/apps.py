from django.apps import AppConfig


class MonitorConfig(AppConfig):
    """The live pages, which show flows and never change them."""

    name = "monitor"
    verbose_name = "Monitor"

    def ready(self) -> None:
        from monitor.notifications import FlowEvents  # needs the applications to be loaded
        from pages.live.listener import register

        register(FlowEvents)
