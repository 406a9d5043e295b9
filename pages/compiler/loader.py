"""The loader of the site: templates are read once, and compiled."""

from __future__ import annotations

from django.template import Origin, Template
from django.template.loaders import cached

from pages.compiler import blocks, tags  # noqa: F401 - what they compile is registered
from pages.compiler.nodes import compiled


class Loader(cached.Loader):
    """Keeps templates, compiled unless the engine says where in a template an error is."""

    def get_template(self, template_name: str, skip: list[Origin] | None = None) -> Template:
        """Return a template. Raises TemplateDoesNotExist."""
        template = super().get_template(template_name, skip)
        if not self.engine.debug and not self.engine.string_if_invalid:
            template.nodelist = compiled(template.nodelist)
        return template
