"""The second factor: at log-in a code of an authenticator app (TOTP) besides the password.

`policy` says who needs one, `devices` keeps keys and backup codes (django-otp), `backend` ends every session
that was not made with it, `pending` holds what is between the two steps, `views` are the pages.
"""
