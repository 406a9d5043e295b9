"""Drafts of definitions: open, save, merge, undo, and what was acknowledged in them."""

from flows.capabilities.drafts import acknowledgements, api, sources
from flows.capabilities.drafts import named_objects as of_named_objects

acknowledge_finding = acknowledgements.acknowledge_finding
discard = api.discard_draft
history = api.draft_history
keep_source = sources.keep_draft_source
list = api.list_drafts
list_acknowledgements = acknowledgements.list_acknowledgements
merge = api.merge_draft
merge_running = api.merge_running
named_objects = of_named_objects.named_objects
numbered = api.numbered
open = api.open_draft
read = api.read_draft
read_source = sources.read_draft_source
redo = api.redo_draft
renamed_triggers = api.renamed_triggers
revision = api.draft_revision
running_definition = api.running_definition
save = api.save_draft
save_named_objects = of_named_objects.save_named_objects
undo = api.undo_draft
withdraw_acknowledgement = acknowledgements.withdraw_acknowledgement
