"""Passwords of users that only tests have."""

from __future__ import annotations

from django.contrib.auth.hashers import PBKDF2PasswordHasher


class QuickPasswords(PBKDF2PasswordHasher):
    """Hash with few rounds; servers that a test starts verify such hashes, too."""

    iterations = 1000
