"""The monitor's own tables: tokens with which programs use the HTTP API for a user, and drafts of repairs."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class ApiToken(models.Model):
    """A token of a user. Only its digest is stored; `prefix` is its readable beginning.

    It belongs to an account, whose deletion deletes it: a later account of the same name must not get it.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=12, unique=True)
    digest = models.CharField(max_length=64, unique=True)
    flows = models.JSONField(default=list)  # names; empty: every flow that the user sees
    rights = models.JSONField(default=list)  # "operate", "handle", "repair"; reading is always included
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "api_token"
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.prefix} ({self.name})"


class CaseDraft(models.Model):
    """What a user typed for a case and has not applied: the texts of form fields that differ from the state.

    `address` has the parameters of the page: the operation, and its job, step or late result. No other user
    sees it. It belongs to an account, whose deletion deletes it.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="case_drafts")
    case = models.BigIntegerField()
    address = models.CharField(max_length=100, default="operation=patch")
    fields = models.JSONField(default=dict)
    reason = models.TextField(default="")
    saved_at = models.DateTimeField()

    class Meta:
        db_table = "case_draft"
        default_permissions = ()
        constraints = (
            models.UniqueConstraint(fields=("user", "case", "address"), name="case_draft_of_operation"),
        )

    def __str__(self) -> str:
        return f"{self.case} ({self.user})"


class CaseLink(models.Model):
    """A link from cases of a flow to another system; `cause` is a cause or reason code, "" for any."""

    flow_id = models.IntegerField()
    position = models.IntegerField()
    label = models.CharField(max_length=80)
    url = models.TextField()
    cause = models.CharField(max_length=40, default="")

    class Meta:
        db_table = "case_link"
        default_permissions = ()
        constraints = (models.UniqueConstraint(fields=("flow_id", "position"), name="case_link_of_flow"),)

    def __str__(self) -> str:
        return self.label
