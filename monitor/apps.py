from django.apps import AppConfig


class MonitorConfig(AppConfig):
    """Live pages: looks at flows and never writes."""

    name = "monitor"
    verbose_name = "Monitor"

    def ready(self) -> None:
        from monitor.notifications import FlowEvents  # needs the applications to be loaded
        from pages.live.listener import register

        register(FlowEvents)
