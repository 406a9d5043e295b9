"""Guards of drafts and publications."""

# ruff: noqa: E501 - lists of texts are easier to read with one item per line

from __future__ import annotations

from chaos.mutation import Mutation

_DIRECT = "k_publications::test_only_the_owner_changes_a_flow_that_needs_approval_directly"

MUTATIONS = [
    Mutation("approval: any direct change", _DIRECT, ("_check_direct",), "if p_needs_approval and", "if false and"),
    Mutation("approval: rows", _DIRECT, ("_touch",), "coalesce(p_needs_approval, f.needs_approval)", "false"),
    Mutation("approval: switched off", _DIRECT, ("_flow_changed",), "old.needs_approval", "new.needs_approval"),
    Mutation("approval: publish", _DIRECT, ("publish",), "if not p_dry_run then", "if false then"),
    Mutation("approval: drop_flow", _DIRECT, ("drop_flow",), "perform wedsql._check_direct(v_flow.name, v_flow.needs_approval);", ""),
    Mutation("approval: a change after the publication", "k_publications::test_a_change_after_a_publication_in_its_transaction_is_checked_too", ("_publish_request",),
             "update wedsql.flow f set changed_xid = null where f.id = v_id;", ""),
    Mutation("approval: of another person", "k_publications::test_an_approval_is_of_another_person", ("approve_publication",),
             "if wedsql._same_person(v_request.requested_by, wedsql._actor(p_actor)) then", "if false then"),
    Mutation("approval: names in other letters", "k_publications::test_an_approval_is_of_another_person", ("_same_person",), "lower(regexp_replace(p_other", "(regexp_replace(p_other"),
    Mutation("approval: needed since the request", "k_publications::test_an_approval_needed_since_the_request_stops_it", ("_publish_request",),
             "if v_flow.needs_approval and not v_request.needs_approval then", "if false then"),
    Mutation("publication: decided once", "k_publications::test_a_request_is_decided_once", ("_waiting",), "if v_request.status <> all (p_status) then", "if false then"),
    Mutation("publication: base of a request", "k_publications::test_a_definition_of_another_base_is_refused_and_can_be_merged", ("_check_base",), "if p_base is distinct from p_running then", "if false then"),
    Mutation("publication: tried when requested", "k_publications::test_what_cannot_be_published_is_refused_when_it_is_requested", ("_request",), "perform wedsql._try_publishing(v_new);", ""),
    Mutation("publication: time", "k_publications::test_a_time_that_is_none_is_refused", ("_request",), "perform wedsql._check_time(p_publish_at);", ""),
    Mutation("publication: failure of one", "k_publications::test_a_failure_is_kept_and_stops_no_other", ("publish_due",), "exception when query_canceled or others then", "exception when data_corrupted then"),
    Mutation("publication: a lock is no failure", "k_publications::test_a_lock_delays_it_and_is_no_failure", ("_note_failure",), "'WD010', ", ""),
    Mutation("publication: waits after a failure", "k_publications::test_a_lock_delays_it_and_is_no_failure", ("_note_failure",), "if v_again then", "if false then"),
    Mutation("publication: the draft goes on", "k_publications::test_the_draft_goes_on_from_what_was_published", ("_publish_request",), "perform wedsql._advance_draft(v_request);", ""),
    Mutation("draft: revision of a save", "k_drafts::test_of_two_saves_at_once_one_is_refused", ("_check_revision",), "if p_revision is distinct from p_draft.revision then", "if false then"),
    Mutation("draft: lock of a save", "k_drafts::test_of_two_saves_at_once_one_is_refused", ("_draft",), "d.branch = p_branch for update;", "d.branch = p_branch;"),
    Mutation("draft: the same again", "k_drafts::test_saving_the_same_again_changes_nothing", ("save_draft",), "r.revision = v_draft.revision) then", "false) then"),
    Mutation("draft: size", "k_drafts::test_a_definition_of_more_than_four_megabytes_is_refused", ("_check_draft",), "if octet_length(p_definition::text) > wedsql._draft_limit('bytes') then", "if false then"),
    Mutation("draft: number", "k_drafts::test_a_flow_has_at_most_twenty_drafts", ("open_draft",), "perform wedsql._check_draft_count(p_flow);", ""),
    Mutation("draft: revisions kept", "k_drafts::test_the_last_five_hundred_revisions_are_kept", ("_prune_revisions",), "o.nth > wedsql._draft_limit('revisions')", "false"),
    Mutation("draft: bytes kept", "k_drafts::test_large_revisions_are_kept_up_to_a_size", ("_prune_revisions",), "o.stored > wedsql._draft_limit('stored')", "false"),
    Mutation("draft: base of undo", "k_drafts::test_a_draft_of_an_old_version_is_stale_until_it_is_merged", ("undo_draft",), "v_draft.base_version := v_to.base_version;", ""),
    Mutation("draft: numbers of another database", "k_drafts::test_a_draft_of_a_file_has_the_numbers_of_what_runs_and_no_others", ("_by_earlier_name",), "- 'was' - 'id'", "- 'was'"),
]  # fmt: skip
