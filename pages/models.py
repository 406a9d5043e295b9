"""The forms that were sent, so that one that is sent twice creates one thing."""

from __future__ import annotations

from django.db import models


class SentForm(models.Model):
    """A form that creates something and was sent; `address` is the page that followed, "" before it did."""

    token = models.CharField(max_length=100, primary_key=True)
    address = models.CharField(max_length=2000, default="")
    at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        db_table = "sent_form"
        default_permissions = ()

    def __str__(self) -> str:
        return self.token
