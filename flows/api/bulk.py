"""Operations on many instances, in the background."""

from flows.capabilities.bulk import api

continue_bulk = api.continue_bulk
list = api.list_bulk
pause = api.pause_bulk
preview = api.preview_bulk
read = api.read_bulk
request = api.request_bulk
resume = api.resume_bulk
rows = api.bulk_rows
withdraw = api.withdraw_bulk
