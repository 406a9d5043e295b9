-- The revisions of a draft. Undo and redo are revisions, too: each has a content that was there before, so
-- that the number of a revision always names one content.

-- Adds a revision to a draft and returns the draft. p_shown is the earlier revision whose content it has;
-- null for new content. p_parts: the template and the facts of the summary, if it has them.
create or replace function wedsql._append_revision(p_draft wedsql.draft, p_definition jsonb, p_summary text,
  p_actor text, p_shown integer default null, p_parts jsonb default null) returns wedsql.draft
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_draft wedsql.draft;
begin
  if octet_length(p_parts::text) > 10000 then
    p_parts := null;
  end if;
  insert into wedsql.draft_revision (draft_id, revision, at, actor, summary, base_version, parent, definition,
    summary_parts)
  values (p_draft.id, p_draft.revision + 1, wedsql.now(), wedsql._actor(p_actor),
    left(btrim(regexp_replace(coalesce(p_summary, ''), '[[:space:]]+', ' ', 'g')), 200), p_draft.base_version,
    case when p_shown is null then nullif(p_draft.shown, 0) end, p_definition, p_parts);
  update wedsql.draft d
  set revision = p_draft.revision + 1, shown = coalesce(p_shown, p_draft.revision + 1),
      tip = case when p_shown is null then p_draft.revision + 1 else d.tip end,
      base_version = p_draft.base_version, changed_at = wedsql.now(), changed_by = wedsql._actor(p_actor)
  where d.id = p_draft.id returning * into v_draft;
  perform wedsql._prune_revisions(p_draft.id);
  return v_draft;
end $$;

-- Deletes the oldest revisions of a draft beyond the limits, but never the last twenty, and bases that no
-- revision has.
create or replace function wedsql._prune_revisions(p_draft bigint) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  delete from wedsql.draft_revision r using (
    select o.revision, row_number() over w as nth, sum(pg_column_size(o.definition)) over w as stored
    from wedsql.draft_revision o where o.draft_id = p_draft window w as (order by o.revision desc)) o
  where r.draft_id = p_draft and r.revision = o.revision and (o.nth > wedsql._draft_limit('revisions')
    or o.nth > 20 and o.stored > wedsql._draft_limit('stored'));
  if found then
    delete from wedsql.draft_base b where b.draft_id = p_draft and not exists (
      select 1 from wedsql.draft_revision r where r.draft_id = p_draft and r.base_version = b.version);
  end if;
end $$;

-- Returns the revision that undo goes back to; null when there is none, or none is kept any more.
create or replace function wedsql._undone_revision(p_draft wedsql.draft) returns integer
language sql stable set search_path = pg_catalog, pg_temp as $$
select p.revision from wedsql.draft_revision r
join wedsql.draft_revision p on p.draft_id = r.draft_id and p.revision = r.parent
where r.draft_id = p_draft.id and r.revision = p_draft.shown
$$;

-- Returns the revision that redo goes to: on the way from the shown one to the last one that was typed.
create or replace function wedsql._redone(p_draft wedsql.draft) returns integer
language sql stable set search_path = pg_catalog, pg_temp as $$
with recursive way as (
  select r.revision, r.parent from wedsql.draft_revision r
  where r.draft_id = p_draft.id and r.revision = p_draft.tip and p_draft.tip <> p_draft.shown
  union all
  select r.revision, r.parent from way w join wedsql.draft_revision r
    on r.draft_id = p_draft.id and r.revision = w.parent and r.revision <> p_draft.shown)
select w.revision from way w where w.parent = p_draft.shown
$$;
