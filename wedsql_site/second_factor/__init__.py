"""The second factor: at log-in a code of an authenticator app (TOTP) besides the password.

`policy` decides for whom it is offered or required, `devices` stores keys and backup codes (django-otp),
`backend` ends sessions made without it, `pending` stores the state between the steps, `views` has the pages.
"""
