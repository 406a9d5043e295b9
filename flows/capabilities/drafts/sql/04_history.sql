-- Undo, redo, and reading earlier revisions.

-- Undoes the last change of a draft that is not undone, or with p_forward redoes the one that was undone
-- last, and returns the draft with its content. The base of that revision comes back with it.
-- Locks: the draft.
-- Raises: WD401, WD402, WD405.
create or replace function wedsql.undo_draft(p_flow text, p_branch text, p_revision integer,
  p_forward boolean default false, p_actor text default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_draft wedsql.draft := wedsql._draft(p_flow, p_branch, true);
  v_to wedsql.draft_revision;
begin
  perform wedsql._check_revision(v_draft, p_revision);
  select * into v_to from wedsql.draft_revision r where r.draft_id = v_draft.id
    and r.revision = case when p_forward then wedsql._redone(v_draft)
                          else wedsql._undone_revision(v_draft) end;
  if not found then
    perform wedsql._raise('WD405',
      case when p_forward then 'There is nothing to redo in draft "{branch}" of flow "{flow}".'
        else 'There is nothing to undo in draft "{branch}" of flow "{flow}".' end,
      'Undo goes back to the last publication, by at most {kept} revisions.',
      jsonb_build_object('flow', p_flow, 'branch', p_branch, 'kept', wedsql._draft_limit('revisions')));
  end if;
  v_draft.base_version := v_to.base_version;
  v_draft := wedsql._append_revision(v_draft, v_to.definition,
    format('%s to revision %s', case when p_forward then 'redo' else 'undo' end, v_to.revision), p_actor,
    v_to.revision);
  return wedsql._whole_draft(v_draft);
end $$;

-- Returns the revisions of a draft before p_before, the newest first, without their content.
-- Raises: WD401.
create or replace function wedsql.draft_history(p_flow text, p_branch text default 'main',
  p_before integer default null, p_limit integer default 50) returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select to_jsonb(l) from (
  select r.revision, r.at, r.actor, r.summary, r.summary_parts, r.base_version, r.parent
  from wedsql._draft(p_flow, p_branch, false) d  -- looked up in any case
  cross join lateral (
    select s.* from wedsql.draft_revision s
    where s.draft_id = d.id and (p_before is null or s.revision < p_before)
    order by s.revision desc limit least(p_limit, 500)) r) l
order by l.revision desc
$$;

-- Returns the content of one revision of a draft.
-- Raises: WD401 also where the revision is not kept.
create or replace function wedsql.draft_revision(p_flow text, p_branch text, p_revision integer) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_draft wedsql.draft := wedsql._draft(p_flow, p_branch, false);
  v_definition jsonb;
begin
  select r.definition into v_definition from wedsql.draft_revision r
  where r.draft_id = v_draft.id and r.revision = p_revision;
  if not found then
    perform wedsql._raise('WD401', 'Draft "{branch}" of flow "{flow}" has no revision {revision}.',
      'The last {kept} revisions are kept.', jsonb_build_object('flow', p_flow, 'branch', p_branch,
        'revision', p_revision, 'kept', wedsql._draft_limit('revisions')));
  end if;
  return v_definition;
end $$;

grant execute on function
  wedsql.undo_draft(text, text, integer, boolean, text),
  wedsql.draft_history(text, text, integer, integer), wedsql.draft_revision(text, text, integer)
to wed_web;
