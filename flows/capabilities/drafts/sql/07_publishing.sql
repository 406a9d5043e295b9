-- Publishes approved requests, at once or at their time.

-- Returns when the prediction of a request was made.
create or replace function wedsql._predicted_at(p_request wedsql.publication) returns timestamptz
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select case when p_request.prediction ->> 'at' ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}'
  then (p_request.prediction ->> 'at')::timestamptz else p_request.requested_at end
$$;

-- Returns how many instances of a flow started, moved or ended after that time, with some of them.
create or replace function wedsql._moved_since(p_flow integer, p_since timestamptz) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('count', count(*), 'sample', wedsql._some((array_agg(m.wid order by m.wid))[1:20]))
from (
  select i.wid from wedsql.instance i
  where i.flow_id = p_flow and i.status in ('R', 'E') and i.changed_at > p_since
  union
  select i.wid from wedsql.instance i where i.flow_id = p_flow and i.finished_at > p_since) m
$$;

-- Publishes an approved request, and returns it. Everything happens in the transaction of the caller, or
-- nothing does. p_actor: who has confirmed that it takes p_held tasks and cases from others; null: not asked.
-- Locks: the request; as publish; the draft, unless another session saves it now.
-- Raises: WD302 when it needs an approval that it has not, WD406, WD408, WD011, and everything for which
-- publishing can be rejected.
create or replace function wedsql._publish_request(p_id bigint, p_actor text default null,
  p_held integer default null) returns wedsql.publication
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_request wedsql.publication := wedsql._waiting(p_id, 'approved');
  v_id integer := wedsql._flow_to_publish(v_request);
  v_flow wedsql.flow;
  v_after bigint := wedsql.last_loss();
  v_moved jsonb;
  v_report jsonb;
begin
  select * into v_flow from wedsql.flow f where f.id = v_id;
  v_moved := wedsql._moved_since(v_id, wedsql._predicted_at(v_request));
  if v_flow.needs_approval and not v_request.needs_approval then
    perform wedsql._raise('WD302',
      'Since publication {publication} was requested, flow "{flow}" needs an approval.',
      'Request it again.', jsonb_build_object('publication', p_id, 'flow', v_flow.name));
  end if;
  v_report := wedsql._publish_definition(v_flow, v_request.definition, false, v_request.reopen_final,
    v_request.requested_by, v_request.reason, v_request.choices);
  perform wedsql._confirm_held(v_flow.name,
    wedsql._call_losses(v_id, v_after, wedsql._actor(p_actor)), p_held);
  v_report := v_report || jsonb_build_object('moved', v_moved);
  perform wedsql._publish_source(v_id, (v_report ->> 'version')::integer, v_request.definition);
  -- A change that follows in this transaction is another version, and is checked like any other.
  update wedsql.flow f set changed_xid = null where f.id = v_id;
  update wedsql.flow_version v
  set publication_id = p_id,
      approver = case when v_request.needs_approval then v_request.decided_by else '' end
  where v.flow_id = v_id and v.version = (v_report ->> 'version')::integer;
  update wedsql.publication p
  set status = 'published', version = (v_report ->> 'version')::integer, report = v_report,
      tried_at = wedsql.now(), sqlstate = null, message = null
  where p.id = p_id returning * into v_request;
  update wedsql.rematch_run r set publication_id = p_id
  where r.flow_id = v_id and r.version = v_request.version and r.finished_at is null;
  perform wedsql._advance_draft(v_request);
  return v_request;
end $$;

-- Gives a draft that is still at the published revision the published definition as its base and content, so
-- that its new attributes and triggers have their numbers. A draft that was changed meanwhile is merged later
-- by the person who changed it.
create or replace function wedsql._advance_draft(p_request wedsql.publication) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_draft wedsql.draft;
  v_running jsonb;
begin
  select * into v_draft from wedsql.draft d
  where d.flow = p_request.flow and d.branch = p_request.branch and d.revision = p_request.revision
  for update skip locked;
  if not found then
    return;
  end if;
  v_running := wedsql._running(p_request.flow);
  v_draft := wedsql._rebase(v_draft, (v_running ->> 'version')::integer);
  v_draft.shown := 0;  -- undo ends here: before it the attributes and triggers had other numbers, or none
  perform wedsql._append_revision(v_draft, v_running -> 'definition',
    format('published as version %s', p_request.version), p_request.requested_by, null,
    jsonb_build_object('template', 'published as version %(version)s',
      'facts', jsonb_build_object('version', p_request.version)));
end $$;

-- Returns the request that publish_due publishes next, locked; null when none is due.
create or replace function wedsql._due_request(p_now timestamptz) returns wedsql.publication
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_request wedsql.publication;
begin
  select * into v_request from wedsql.publication p
  where p.status = 'approved' and p.publish_at <= p_now
    and wedsql._may_try(wedsql._flow_number(p.flow), 'publication', 0, p.id, p_now)
  order by p.publish_at, p.id limit 1 for update skip locked;
  return v_request;
end $$;

-- Notes that the next request is being published from now on, for pages, and returns whether there is one. To
-- be called before publish_due, in a transaction of its own.
-- Locks: the request, skipping a locked one.
create or replace function wedsql.begin_due() returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := wedsql.now();
  v_request wedsql.publication := wedsql._due_request(v_now);
begin
  update wedsql.publication p set tried_at = v_now, sqlstate = null, message = null where p.id = v_request.id;
  return found;
end $$;

-- Publishes one request whose time has come, and returns its flow; null when none is due. Its failure is kept
-- with the request, and no other request waits for it: what may succeed later (a lock) is tried again, all
-- else has failed for good.
-- Locks: the request, skipping a locked one; as publish.
create or replace function wedsql.publish_due() returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := wedsql.now();
  v_request wedsql.publication := wedsql._due_request(v_now);
begin
  if v_request.id is null then
    return null;
  end if;
  begin
    perform wedsql._publish_request(v_request.id);
    perform wedsql._no_trouble(wedsql._flow_number(v_request.flow), 'publication', 0, v_request.id);
  exception when query_canceled or others then
    perform wedsql._note_failure(v_request, sqlstate, sqlerrm, v_now);
  end;
  return v_request.flow;
end $$;

-- Keeps why a request could not be published.
create or replace function wedsql._note_failure(p_request wedsql.publication, p_state text, p_message text,
  p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_again boolean := wedsql._passes(p_state) or p_state in ('WD010', '57014');
begin
  update wedsql.publication p
  set status = case when v_again then p.status else 'failed' end, tried_at = p_now, sqlstate = p_state,
      message = left(p_message, 1000)
  where p.id = p_request.id;
  if v_again then
    perform wedsql._note_trouble(wedsql._flow_number(p_request.flow), 'publication', 0, p_request.id, p_state,
      p_message, p_now);
  else
    perform wedsql._no_trouble(wedsql._flow_number(p_request.flow), 'publication', 0, p_request.id);
  end if;
end $$;

-- Returns the id of the flow of that name; 0 where there is none yet.
create or replace function wedsql._flow_number(p_flow text) returns integer
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce((select f.id from wedsql.flow f where f.name = p_flow), 0)
$$;

grant execute on function wedsql.begin_due(), wedsql.publish_due() to wed_reaper;
