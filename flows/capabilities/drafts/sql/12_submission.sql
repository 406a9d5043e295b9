-- One door for a definition that is whole when it comes: a file, a text, a form. It is saved as a draft of
-- its own, which is published like any other.

-- Returns a name for the draft of a definition that is submitted, which the flow has none of.
create or replace function wedsql._submitted_branch(p_flow text) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select 'submitted-' || n
from generate_series(1, (select count(*) + 1 from wedsql.draft d where d.flow = p_flow)) n
where not exists (select from wedsql.draft d where d.flow = p_flow and d.branch = 'submitted-' || n)
order by n limit 1
$$;

-- Returns a definition whose attributes and triggers have their numbers only where the running one has them.
create or replace function wedsql._with_running_numbers(p_running jsonb, p_definition jsonb) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
select p_definition || jsonb_object_agg(part, (
  select coalesce(jsonb_agg(case when exists (
    select from jsonb_array_elements(p_running -> part) o where o -> 'id' = n.j -> 'id')
    then n.j else n.j - 'id' end order by n.ord), '[]')
  from jsonb_array_elements(p_definition -> part) with ordinality n (j, ord)))
from unnest(array['attributes', 'triggers']) part
$$;

-- Returns whether the running version was translated from this source; of none that is true.
create or replace function wedsql._is_source(p_flow text, p_source jsonb) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
select p_source is null or coalesce((
  select (s ->> 'language', s ->> 'format', s ->> 'text')
         = (p_source ->> 'language', p_source ->> 'format', p_source ->> 'text')
  from wedsql.source(p_flow) s), false)
$$;

-- Returns the choice that withdraws pending jobs whose condition no longer holds, of each trigger of a
-- definition. That of a translated one holds where a token is: without it, the job would be performed for a
-- token that is elsewhere now.
create or replace function wedsql._withdraw_all(p_definition jsonb) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('withdraw', coalesce(jsonb_agg(e.n - 1 order by e.n), '[]'))
from jsonb_array_elements(p_definition -> 'triggers') with ordinality e (trigger, n)
where e.trigger ->> 'transition' is not null
$$;

-- Saves a definition as a draft of its own, requests its publication, and returns the request. A flow that is
-- missing is created. Once it is published the draft is discarded; where it waits for an approval, it stays.
-- A definition that was just published is not published again: the publication is the earlier one. One with
-- another source is, so that its text and its picture are those that were submitted.
-- p_source: what it was translated from, as keep_source has it; jobs whose token is elsewhere by it are
-- withdrawn. p_numbered: its numbers are those of this flow; else they do not count, and its attributes and
-- triggers are found as publish finds them.
-- p_held: as for request_publication.
-- Locks: the drafts; as request_publication.
-- Raises: WD004, WD009, WD404; as create_flow and request_publication.
create or replace function wedsql.submit_definition(p_flow text, p_definition jsonb,
  p_reason text default '', p_actor text default null, p_source jsonb default null,
  p_numbered boolean default false, p_held integer default 0) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_running jsonb;
  v_branch text;
  v_revision integer;
  v_done jsonb;
  v_last wedsql.publication;
begin
  perform wedsql._alone('draft', '');
  if wedsql._flow_number(p_flow) = 0 then
    perform wedsql.create_flow(p_flow);
  end if;
  perform wedsql._check_definition(p_definition);
  v_running := wedsql._running(p_flow) -> 'definition';
  v_branch := wedsql._submitted_branch(p_flow);
  perform wedsql.open_draft(p_flow, v_branch, case when not p_numbered then p_definition end, p_reason,
                            p_actor);
  if p_numbered then
    perform wedsql.save_draft(p_flow, v_branch, (wedsql._draft(p_flow, v_branch, true)).revision,
      wedsql._with_running_numbers(v_running, p_definition), p_reason, null, p_actor);
  end if;
  if p_source is not null then
    perform wedsql.keep_draft_source(p_flow, p_source, v_branch);
  end if;
  select p.* into v_last from wedsql.publication p where p.flow = p_flow order by p.id desc limit 1;
  if v_last.status = 'published' and v_last.version = (wedsql._running(p_flow) ->> 'version')::integer
     and wedsql._is_source(p_flow, p_source)
     and not exists (select from wedsql.difference(v_running,
       wedsql._whole_draft(wedsql._draft(p_flow, v_branch, true)) -> 'definition')) then
    perform wedsql.discard_draft(p_flow, v_branch, (wedsql._draft(p_flow, v_branch, true)).revision);
    return wedsql._publication_head(v_last);
  end if;
  v_revision := (wedsql._draft(p_flow, v_branch, true)).revision;
  v_done := wedsql.request_publication(p_flow, v_branch, v_revision, p_reason, p_actor => p_actor,
    p_choices => case when p_source is not null then wedsql._withdraw_all(p_definition) end,
    p_held => p_held);
  if v_done ->> 'status' = 'published' then
    perform wedsql.discard_draft(p_flow, v_branch, (wedsql._draft(p_flow, v_branch, true)).revision);
  end if;
  return v_done;
end $$;

grant execute on function wedsql.submit_definition(text, jsonb, text, text, jsonb, boolean, integer)
to wed_web;
