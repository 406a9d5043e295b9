-- What the content of a draft was translated from, when it was written in another language.

-- Keeps what the present content of a draft was translated from: {"language", "format", "text", "map"}. When
-- this content is published, also after an approval, it becomes the source of the version; a draft that was
-- changed in another way has none. The flow must exist.
-- Locks: the draft.
-- Raises: WD001, WD401.
create or replace function wedsql.keep_draft_source(p_flow text, p_source jsonb,
                                                    p_branch text default 'main') returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_draft wedsql.draft := wedsql._draft(p_flow, p_branch, true);
begin
  perform wedsql._keep_pending_source(p_flow, v_draft.id,
    wedsql._whole_draft(v_draft) -> 'definition', p_source);
end $$;

-- Returns what the present content of a draft was translated from; null where it was not.
-- Raises: WD401.
create or replace function wedsql.draft_source(p_flow text, p_branch text default 'main') returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select wedsql._pending_source(wedsql._flow_number(p_flow),
  wedsql._whole_draft(wedsql._draft(p_flow, p_branch, false)) -> 'definition')
$$;

grant execute on function wedsql.keep_draft_source(text, jsonb, text), wedsql.draft_source(text, text)
to wed_web;
