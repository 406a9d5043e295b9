"""Labels of definitions in the user's language, and what rules are called."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.utils.translation.trans_real import catalog

CONTEXT = "label"
# The kernel's names for what the final condition and integrity conditions do not have.
FINAL, INTEGRITY = "_FINAL", "_INTEGRITY"


def translate_label(label: str) -> str:
    """Return the label translated by the message catalog of an installed app, or unchanged.

    Only entries with the context "label" count: others are texts of pages, in which the same word may mean
    something else.
    """
    return _translated(label, catalog()) if label else ""


@lru_cache(maxsize=8192)
def _translated(label: str, _language: object) -> str:
    return pgettext(CONTEXT, label)


def rule_name(rule: Mapping[str, Any]) -> str:
    """Return the name of a rule without a label: its own, or that of its condition or transition."""
    given = (rule.get(option) for option in ("name", "condition", "transition"))
    return next((str(each) for each in given if each and each not in (FINAL, INTEGRITY)), "")


def rule_title(rule: Mapping[str, Any]) -> str:
    """Return the title of a rule of a definition on all pages: its label, or its name."""
    named = translate_label(str(rule.get("label") or "")) or rule_name(rule)
    return named or (_("Final condition") if rule.get("final") else _("Rule without a name"))


def rule_in_sentence(rule: Mapping[str, Any]) -> str:
    """Return the same for the middle of a sentence."""
    named = translate_label(str(rule.get("label") or "")) or rule_name(rule)
    return named or (_("the final condition") if rule.get("final") else _("a rule without a name"))


class OfFlow:
    """The title of the flow of a row, for classes of rows that have its name and label."""

    flow: str
    flow_label: str

    @property
    def flow_title(self) -> str:
        """Return the title of the flow."""
        return translate_label(self.flow_label) or self.flow


class OfTransition(OfFlow):
    """The titles of a transition and its flow."""

    transition: str
    transition_label: str

    @property
    def title(self) -> str:
        """Return the title of the transition."""
        return translate_label(self.transition_label) or self.transition
