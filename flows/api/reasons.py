"""Why an instance or a job is in its state."""

from flows.capabilities.reasons import api, many

count_holding = many.count_holding
explain_exceptions = many.explain_exceptions
explain_instance = api.explain_instance
explain_jobs = api.explain_jobs
explain_waits = api.explain_waits
