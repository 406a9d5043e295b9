"""The app `demo`."""

from django.apps import AppConfig


class DemoConfig(AppConfig):
    name = "workers.demo"
    label = "demo"
    verbose_name = "WED demo"
