-- Drafts: opened, saved, read and discarded.

-- Returns a draft, with p_lock locked until the end of the transaction.
-- Raises: WD401.
create or replace function wedsql._draft(p_flow text, p_branch text, p_lock boolean) returns wedsql.draft
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_draft wedsql.draft;
begin
  if p_lock then
    select * into v_draft from wedsql.draft d where d.flow = p_flow and d.branch = p_branch for update;
  else
    select * into v_draft from wedsql.draft d where d.flow = p_flow and d.branch = p_branch;
  end if;
  if not found then
    perform wedsql._raise('WD401', 'Flow "{flow}" has no draft "{branch}".',
      'Open one, or list the existing drafts.',
      jsonb_build_object('flow', left(p_flow, 80), 'branch', left(p_branch, 80)));
  end if;
  return v_draft;
end $$;

-- Checks that the draft is still at the revision from which a change of it was made.
-- Raises: WD402 with the present revision, who saved it and when.
create or replace function wedsql._check_revision(p_draft wedsql.draft, p_revision integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
begin
  if p_revision is distinct from p_draft.revision then
    perform wedsql._raise('WD402', case when p_revision is null
        then '{actor} has saved revision {revision} of draft "{branch}" of flow "{flow}" in the meantime.'
        else '{actor} has saved revision {revision} of draft "{branch}" of flow "{flow}"; your change was '
             'made from revision {base}.' end,
      'Read the draft, merge your change with it, and save again.',
      jsonb_build_object('flow', p_draft.flow, 'branch', p_draft.branch, 'revision', p_draft.revision,
        'actor', p_draft.changed_by, 'at', p_draft.changed_at, 'base', p_revision));
  end if;
end $$;

-- Returns whether a draft was published and not changed since: its last revision is that of the publication.
create or replace function wedsql._is_closed(p_draft wedsql.draft) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select exists (select from wedsql.flow f where f.name = p_draft.flow and f.version = p_draft.base_version)
  and exists (select from wedsql.draft_revision r
              where r.draft_id = p_draft.id and r.revision = p_draft.revision and r.parent is null
                and r.summary = format('published as version %s', p_draft.base_version))
$$;

-- Returns what pages list of a draft: everything but its content.
create or replace function wedsql._draft_head(p_draft wedsql.draft) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select to_jsonb(p_draft) - 'id' - 'shown' - 'tip' || jsonb_build_object(
  'running_version', coalesce((select f.version from wedsql.flow f where f.name = p_draft.flow), 0),
  'can_undo', wedsql._undone_revision(p_draft) is not null, 'can_redo', wedsql._redone(p_draft) is not null,
  'closed', wedsql._is_closed(p_draft))
$$;

-- Returns a draft with its content and the definition that it was opened from.
create or replace function wedsql._whole_draft(p_draft wedsql.draft) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select wedsql._draft_head(p_draft) || jsonb_build_object(
  'base', (select b.definition from wedsql.draft_base b
           where b.draft_id = p_draft.id and b.version = p_draft.base_version),
  'definition', (select r.definition from wedsql.draft_revision r
                 where r.draft_id = p_draft.id and r.revision = p_draft.revision))
$$;

-- Returns a draft with its content.
-- Raises: WD401.
create or replace function wedsql.read_draft(p_flow text, p_branch text default 'main') returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select wedsql._whole_draft(wedsql._draft(p_flow, p_branch, false))
$$;

-- Returns the drafts of a flow, or of all flows, without their content; the one that was changed last first.
create or replace function wedsql.list_drafts(p_flow text default null) returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select wedsql._draft_head(d) from wedsql.draft d where p_flow is null or d.flow = p_flow
order by d.changed_at desc, d.id desc
$$;

-- Checks that a flow, a draft or a request of publication has this name: a list of what belongs to it may be
-- empty then.
-- Raises: WD001.
create or replace function wedsql.check_designed(p_flow text) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from wedsql.draft d where d.flow = p_flow)
     and not exists (select from wedsql.publication p where p.flow = p_flow) then
    perform wedsql._flow(p_flow);
  end if;
end $$;

-- Opens a draft of the running definition, or of p_definition; its base is the running definition in either
-- case. The flow need not exist yet.
-- Locks: the new draft.
-- Raises: WD004, WD009, WD403 when there is that draft already, WD404.
create or replace function wedsql.open_draft(p_flow text, p_branch text default 'main',
  p_definition jsonb default null, p_summary text default '', p_actor text default null,
  p_parts jsonb default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_running jsonb := wedsql._running(p_flow);
  v_now timestamptz := wedsql.now();
  v_draft wedsql.draft;
begin
  perform wedsql._alone('draft', '');
  perform wedsql.check_name(p_flow, 'flow'), wedsql._check_branch(p_branch);
  insert into wedsql.draft (flow, branch, base_version, revision, shown, tip, created_at, created_by,
    changed_at, changed_by)
  values (p_flow, p_branch, (v_running ->> 'version')::integer, 0, 0, 0, v_now, wedsql._actor(p_actor), v_now,
    wedsql._actor(p_actor))
  on conflict do nothing returning * into v_draft;
  if not found then
    perform wedsql._raise('WD403', 'Flow "{flow}" has a draft "{branch}" already.',
      'Continue it, discard it, or open one with another branch name.',
      jsonb_build_object('flow', p_flow, 'branch', p_branch));
  end if;
  perform wedsql._check_draft_count(p_flow);
  insert into wedsql.draft_base (draft_id, version, definition)
  values (v_draft.id, v_draft.base_version, v_running -> 'definition');
  if p_definition is not null then
    perform wedsql._check_draft(p_definition);
    p_definition := wedsql._numbered(v_running -> 'definition', p_definition);
  end if;
  v_draft := wedsql._append_revision(v_draft, coalesce(p_definition, v_running -> 'definition'), p_summary,
    p_actor, null, p_parts);
  return wedsql._whole_draft(v_draft);
end $$;

-- Checks the branch name of a draft.
-- Raises: WD004.
create or replace function wedsql._check_branch(p_branch text) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if p_branch is null or p_branch !~ '^[a-z0-9][a-z0-9_-]{0,62}$' then
    perform wedsql._raise('WD004', '"{name}" cannot be the name of a draft.',
      'Use 1 to 63 characters: a lower-case letter or digit first, then also "_" and "-".',
      jsonb_build_object('name', left(p_branch, 80)));
  end if;
end $$;

-- Checks, with the new draft, how many there are.
-- Raises: WD404.
create or replace function wedsql._check_draft_count(p_flow text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if (select count(*) from wedsql.draft d where d.flow = p_flow) > wedsql._draft_limit('of a flow')
    or (select count(*) from wedsql.draft d) > wedsql._draft_limit('in all') then
    perform wedsql._raise('WD404',
      'There are too many drafts: a flow has at most {limit}, all flows together {total}.',
      'Discard one that is not needed.',
      jsonb_build_object('limit', wedsql._draft_limit('of a flow'), 'total', wedsql._draft_limit('in all')));
  end if;
end $$;

-- Saves a draft as its next revision, and returns the draft without its content. p_revision is the revision
-- that the change was made from. With p_base_version the draft was merged with the running definition of that
-- version, which is its base from now on. p_parts: the template and the facts from which pages make the
-- summary in the language of the reader. Saving the content that it has already changes nothing.
-- Locks: the draft.
-- Raises: WD009, WD401, WD402, WD404, WD406.
create or replace function wedsql.save_draft(p_flow text, p_branch text, p_revision integer,
  p_definition jsonb, p_summary text default '', p_base_version integer default null,
  p_actor text default null, p_parts jsonb default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_draft wedsql.draft := wedsql._draft(p_flow, p_branch, true);
  v_content jsonb;
begin
  perform wedsql._check_draft(p_definition);
  v_content := wedsql._draft_content(p_definition);
  if coalesce(p_base_version, v_draft.base_version) = v_draft.base_version and v_content = (
    select r.definition from wedsql.draft_revision r
    where r.draft_id = v_draft.id and r.revision = v_draft.revision) then
    return wedsql._draft_head(v_draft);
  end if;
  perform wedsql._check_revision(v_draft, p_revision);
  v_draft := wedsql._rebase(v_draft, coalesce(p_base_version, v_draft.base_version));
  v_draft := wedsql._append_revision(v_draft, v_content, p_summary, p_actor, null, p_parts);
  return wedsql._draft_head(v_draft);
end $$;

-- Makes the running definition, of that version, the base of a draft, and returns the draft.
-- Raises: WD406 when another version runs.
create or replace function wedsql._rebase(p_draft wedsql.draft, p_version integer) returns wedsql.draft
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_running jsonb;
begin
  if p_version <> p_draft.base_version then
    v_running := wedsql._running(p_draft.flow);
    perform wedsql._check_base(p_draft.flow, p_version, (v_running ->> 'version')::integer);
    insert into wedsql.draft_base (draft_id, version, definition)
    values (p_draft.id, p_version, v_running -> 'definition') on conflict do nothing;
    p_draft.base_version := p_version;
  end if;
  return p_draft;
end $$;

-- Checks that a change was made of the version that runs.
-- Raises: WD406 with both versions.
create or replace function wedsql._check_base(p_flow text, p_base integer, p_running integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_base is distinct from p_running then
    perform wedsql._raise('WD406',
      'Flow "{flow}" is at version {running_version}; this definition was made from version {base_version}.',
      'Merge the draft with the running definition, check it, and request again.',
      jsonb_build_object('flow', p_flow, 'running_version', p_running, 'base_version', p_base));
  end if;
end $$;

-- Deletes a draft with all its revisions. Requests for its publication stay.
-- Locks: the draft.
-- Raises: WD401, WD402.
create or replace function wedsql.discard_draft(p_flow text, p_branch text, p_revision integer) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_draft wedsql.draft := wedsql._draft(p_flow, p_branch, true);
begin
  perform wedsql._check_revision(v_draft, p_revision);
  delete from wedsql.draft d where d.id = v_draft.id;
end $$;

-- Makes the drafts of a flow that was dropped those of a flow that was never published, and deletes its
-- requests, and its scenarios unless a draft is left that they belong to.
create or replace function wedsql._on_dropped_drafts(p_name text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  delete from wedsql.publication p where p.flow = p_name;
  delete from wedsql.scenario s
  where s.flow = p_name and not exists (select 1 from wedsql.draft d where d.flow = p_name);
  delete from wedsql.draft_base b using wedsql.draft d where d.flow = p_name and b.draft_id = d.id;
  insert into wedsql.draft_base (draft_id, version, definition)
  select d.id, 0, wedsql._running(p_name) -> 'definition' from wedsql.draft d where d.flow = p_name;
  update wedsql.draft_revision r set base_version = 0 from wedsql.draft d
  where d.flow = p_name and r.draft_id = d.id;
  update wedsql.draft d set base_version = 0 where d.flow = p_name;
end $$;

grant execute on function
  wedsql.read_draft(text, text), wedsql.list_drafts(text), wedsql.check_designed(text),
  wedsql.open_draft(text, text, jsonb, text, text, jsonb),
  wedsql.save_draft(text, text, integer, jsonb, text, integer, text, jsonb),
  wedsql.discard_draft(text, text, integer)
to wed_web;
