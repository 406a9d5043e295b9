from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_out


class PagesConfig(AppConfig):
    """Parts of pages that all apps share."""

    name = "pages"
    verbose_name = "Pages"

    def ready(self) -> None:
        from pages.live.sessions import end_lines  # needs the applications to be loaded

        user_logged_out.connect(end_lines, dispatch_uid="pages.end_lines")
