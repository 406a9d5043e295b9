"""Tables of labels, translated once for each language."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation.trans_real import DjangoTranslation, catalog


class Texts:
    """The labels of codes in the language of the page."""

    def __init__(self, labels: Mapping[str, str | Promise]) -> None:
        self._labels = labels
        self._known: dict[DjangoTranslation, Mapping[str, str]] = {}

    def get(self, code: str, default: str) -> str:
        """Return the label of a code, or the default."""
        return self.all().get(code, default)

    def all(self) -> Mapping[str, str]:
        """Return the labels by code, which nothing may change."""
        language = catalog()
        found = self._known.get(language)
        if found is None:
            found = {code: str(label) for code, label in self._labels.items()}
            if isinstance(language, DjangoTranslation):  # only languages of the site are kept
                self._known[language] = found
        return found
