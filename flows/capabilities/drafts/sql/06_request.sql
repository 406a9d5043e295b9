-- Requests to publish a definition, and their approval by a second person.

-- Returns what pages list of a request: everything but the definition.
create or replace function wedsql._publication_head(p_publication wedsql.publication) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select to_jsonb(p_publication) - 'definition'
$$;

-- Returns a request, with p_lock locked until the end of the transaction.
-- Raises: WD407.
create or replace function wedsql._publication(p_id bigint, p_lock boolean) returns wedsql.publication
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_found wedsql.publication;
begin
  if p_lock then
    select * into v_found from wedsql.publication p where p.id = p_id for update;
  else
    select * into v_found from wedsql.publication p where p.id = p_id;
  end if;
  if v_found.id is null then
    perform wedsql._raise('WD407', 'There is no publication {publication}.', 'List the publications.',
      jsonb_build_object('publication', p_id));
  end if;
  return v_found;
end $$;

-- Returns one request with its definition.
-- Raises: WD407.
create or replace function wedsql.read_publication(p_id bigint) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select to_jsonb(wedsql._publication(p_id, false))
$$;

-- Returns several requests, of their definitions only what names the triggers.
create or replace function wedsql.read_publications(p_ids bigint[]) returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select wedsql._publication_head(p) || jsonb_build_object('definition', jsonb_build_object('triggers', (
  select jsonb_agg(jsonb_build_object('label', t -> 'label', 'condition', t -> 'condition',
    'transition', t -> 'transition', 'name', t -> 'name', 'final', t -> 'final') order by k)
  from jsonb_array_elements(p.definition -> 'triggers') with ordinality e (t, k))))
from wedsql.publication p where p.id = any (p_ids) order by p.id desc
$$;

-- Returns the requests of a flow, or of all flows, before p_before, the newest first, without definitions;
-- with p_open only those that wait for a decision or for their time.
create or replace function wedsql.list_publications(p_flow text default null, p_open boolean default false,
  p_before bigint default null, p_limit integer default 50) returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select to_jsonb(l) from (
  select p.id, p.flow, p.branch, p.revision, p.base_version, p.reason, p.reopen_final, p.choices,
    p.prediction, p.publish_at, p.status, p.needs_approval, p.requested_by, p.requested_at, p.decided_by,
    p.decided_at, p.note, p.version, p.report, p.tried_at, p.sqlstate, p.message
  from (
    select o.* from wedsql.publication o where p_open and o.status in ('requested', 'approved')
    union all
    select a.* from wedsql.publication a where not p_open) p
  where (p_flow is null or p.flow = p_flow) and (p_before is null or p.id < p_before)
  order by p.id desc limit least(p_limit, 500)) l
order by l.id desc
$$;

-- Requests the publication of a draft's present revision, and returns the request without its definition. If
-- the flow needs no approval, it is published at once, or at p_publish_at by the reaper; else it waits for
-- approve_publication. p_choices: what happens to groups of instances, see 50_work/14_choices.sql.
-- Locks: the draft; if it is published at once, as publish.
-- p_held: how many tasks and cases other persons hold that it takes from them; where it waits, how many of
-- rules that are removed, since what else it takes is known when it is published.
-- Raises: WD011 where p_held is another number, WD401, WD402, WD406, WD410 for a time that has passed or is
-- years away, and everything for which publishing can be rejected.
create or replace function wedsql.request_publication(p_flow text, p_branch text, p_revision integer,
  p_reason text default '', p_reopen_final boolean default false, p_publish_at timestamptz default null,
  p_prediction jsonb default null, p_actor text default null, p_choices jsonb default '{}',
  p_held integer default 0) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_draft wedsql.draft := wedsql._draft(p_flow, p_branch, true);
begin
  perform wedsql._check_revision(v_draft, p_revision);
  return wedsql._request(p_flow, p_branch, p_revision, v_draft.base_version, (
    select r.definition from wedsql.draft_revision r
    where r.draft_id = v_draft.id and r.revision = p_revision), p_reason, p_reopen_final, p_publish_at,
    p_prediction, p_actor, p_choices, p_held);
end $$;

-- Requests that an earlier version of a flow is published again; else as request_publication.
-- Locks: as publish.
-- Raises: WD001, WD409, and as request_publication.
create or replace function wedsql.request_rollback(p_flow text, p_version integer, p_reason text default '',
  p_reopen_final boolean default false, p_publish_at timestamptz default null,
  p_prediction jsonb default null, p_actor text default null, p_choices jsonb default '{}',
  p_held integer default 0) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  return wedsql._request(p_flow, '', null, (wedsql._running(p_flow) ->> 'version')::integer,
    wedsql.version_definition(p_flow, p_version),
    coalesce(nullif(p_reason, ''), format('back to version %s', p_version)), p_reopen_final, p_publish_at,
    p_prediction, p_actor, p_choices, p_held);
end $$;

-- Stores a request, and publishes it if nothing has to be waited for. A definition that cannot be published
-- is rejected here, before it is approved.
create or replace function wedsql._request(p_flow text, p_branch text, p_revision integer, p_base integer,
  p_definition jsonb, p_reason text, p_reopen_final boolean, p_publish_at timestamptz, p_prediction jsonb,
  p_actor text, p_choices jsonb, p_held integer) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_needs boolean := coalesce((select f.needs_approval from wedsql.flow f where f.name = p_flow), false);
  v_new wedsql.publication;
begin
  perform wedsql._check_base(p_flow, p_base, (wedsql._running(p_flow) ->> 'version')::integer);
  perform wedsql._check_time(p_publish_at);
  perform wedsql._check_definition(p_definition);
  perform wedsql._check_choices(coalesce(p_choices, '{}'), p_definition);
  insert into wedsql.publication (flow, branch, revision, base_version, definition, reason, reopen_final,
    choices, prediction, publish_at, status, needs_approval, requested_by, requested_at)
  values (p_flow, p_branch, p_revision, p_base, p_definition, left(coalesce(p_reason, ''), 10000),
    coalesce(p_reopen_final, false), coalesce(p_choices, '{}'), p_prediction, p_publish_at,
    case when v_needs then 'requested' else 'approved' end, v_needs, wedsql._actor(p_actor), wedsql.now())
  returning * into v_new;
  if v_new.status = 'approved' and p_publish_at is null then
    return wedsql._publication_head(wedsql._publish_request(v_new.id, p_actor, p_held));
  end if;
  perform wedsql._try_publishing(v_new);
  perform wedsql._confirm_held(p_flow, wedsql._call_holders(f.id, wedsql._kept_for_persons(f, p_definition),
    wedsql._actor(p_actor)), p_held)
  from wedsql.flow f where f.name = p_flow;
  return wedsql._publication_head(v_new);
end $$;

-- Checks the time for which a publication is requested.
-- Raises: WD410.
create or replace function wedsql._check_time(p_at timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_at is not null and (p_at <= wedsql.now() or p_at > wedsql.now() + interval '10 years') then
    perform wedsql._raise('WD410', 'A publication cannot be scheduled for {time}.',
      'Choose a time between now and ten years from now, or none.', jsonb_build_object('time', p_at::text));
  end if;
end $$;

-- Checks that a requested definition could be published now; nothing of it stays. Living instances are not
-- looked at.
-- Locks: as publish, until it returns.
-- Raises: everything for which a definition can be rejected.
create or replace function wedsql._try_publishing(p_request wedsql.publication) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._check_definition(p_request.definition);
  begin
    perform wedsql._apply_definition(wedsql._flow_to_publish(p_request), p_request.definition);
    raise exception using errcode = 'WD999';
  exception
    when sqlstate 'WD999' then null;
    when data_exception or check_violation or not_null_violation then
      perform wedsql._raise_form(sqlerrm, p_request.definition);
  end;
end $$;

-- Returns the id of the flow that a request is about, with its definition locked; a new flow is created.
-- Locks: the flow's row.
-- Raises: WD004, WD010, WD406 when another version runs.
create or replace function wedsql._flow_to_publish(p_request wedsql.publication) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow;
begin
  select * into v_flow from wedsql.flow f where f.name = p_request.flow;
  if not found then
    perform wedsql._check_base(p_request.flow, p_request.base_version, 0);
    return wedsql.create_flow(p_request.flow);
  end if;
  perform wedsql._begin_change(v_flow.id);
  perform wedsql._check_base(p_request.flow, p_request.base_version, f.version) from wedsql.flow f
  where f.id = v_flow.id;
  return v_flow.id;
end $$;

-- Returns a request of that status, locked.
-- Raises: WD407, WD408 when it was decided already.
create or replace function wedsql._waiting(p_id bigint, variadic p_status text[]) returns wedsql.publication
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_request wedsql.publication := wedsql._publication(p_id, true);
begin
  if v_request.status <> all (p_status) then
    perform wedsql._raise('WD408',
      case when v_request.decided_by is null then 'Publication {publication} of flow "{flow}" is {status}.'
        else 'Publication {publication} of flow "{flow}" is {status} by {actor}.' end,
      'Check its state; request a new one if needed.',
      jsonb_build_object('publication', p_id, 'flow', v_request.flow, 'status', v_request.status,
        'actor', v_request.decided_by));
  end if;
  return v_request;
end $$;

-- Approves a request and publishes its definition, at once or at its time. The approver is another person
-- than the requester.
-- Locks: the request; if it is published at once, as publish.
-- Raises: WD303 for the requester, WD406, WD407, WD408, WD011 as request_publication, and everything for
-- which publishing can be rejected.
create or replace function wedsql.approve_publication(p_id bigint, p_note text default '',
  p_actor text default null, p_held integer default 0) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_request wedsql.publication := wedsql._waiting(p_id, 'requested');
begin
  if wedsql._compared_name(v_request.requested_by) = wedsql._compared_name(wedsql._actor(p_actor)) then
    perform wedsql._raise('WD303',
      '{actor} has requested publication {publication} of flow "{flow}" and cannot approve it.',
      'Another person with the right to approve it must do so.',
      jsonb_build_object('actor', v_request.requested_by, 'publication', p_id, 'flow', v_request.flow));
  end if;
  perform wedsql._check_base(v_request.flow, v_request.base_version,
    (wedsql._running(v_request.flow) ->> 'version')::integer);
  v_request := wedsql._decide(p_id, 'approved', p_note, p_actor);
  if coalesce(v_request.publish_at, wedsql.now()) <= wedsql.now() then
    v_request := wedsql._publish_request(p_id, p_actor, p_held);
  end if;
  return wedsql._publication_head(v_request);
end $$;

-- Rejects a request; its reason goes to the requester.
-- Locks: the request.
-- Raises: WD407, WD408.
create or replace function wedsql.reject_publication(p_id bigint, p_note text default '',
  p_actor text default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._waiting(p_id, 'requested');
  return wedsql._publication_head(wedsql._decide(p_id, 'rejected', p_note, p_actor));
end $$;

-- Withdraws a request that waits for its approval or for its time.
-- Locks: the request.
-- Raises: WD407, WD408.
create or replace function wedsql.withdraw_publication(p_id bigint, p_note text default '',
  p_actor text default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._waiting(p_id, 'requested', 'approved');
  return wedsql._publication_head(wedsql._decide(p_id, 'withdrawn', p_note, p_actor));
end $$;

-- Stores a decision and returns the request.
create or replace function wedsql._decide(p_id bigint, p_status text, p_note text, p_actor text)
  returns wedsql.publication
language sql set search_path = pg_catalog, pg_temp as $$
update wedsql.publication p set status = p_status, note = left(coalesce(p_note, ''), 10000),
  decided_by = wedsql._actor(p_actor), decided_at = wedsql.now()
where p.id = p_id returning p.*
$$;

grant execute on function
  wedsql.request_publication(text, text, integer, text, boolean, timestamptz, jsonb, text, jsonb,
    integer),
  wedsql.request_rollback(text, integer, text, boolean, timestamptz, jsonb, text, jsonb, integer),
  wedsql.approve_publication(bigint, text, text, integer), wedsql.reject_publication(bigint, text, text),
  wedsql.withdraw_publication(bigint, text, text), wedsql.read_publication(bigint),
  wedsql.read_publications(bigint[]), wedsql.list_publications(text, boolean, bigint, integer)
to wed_web;
