from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_out


class MonitorConfig(AppConfig):
    """Live pages: looks at flows and never writes."""

    name = "monitor"
    verbose_name = "Monitor"

    def ready(self) -> None:
        from monitor.sessions import end_lines  # needs the applications to be loaded

        user_logged_out.connect(end_lines, dispatch_uid="monitor.end_lines")
