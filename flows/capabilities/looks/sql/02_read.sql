-- What auditors read: the looks at concealed values of a flow, and the changes that people made.

-- Checks what looks or changes are selected by.
-- Raises: WD550.
create or replace function wedsql._check_audit(p_where jsonb) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_unknown text := (select k from jsonb_object_keys(p_where) k
                     where k not in ('actor', 'wid', 'attribute', 'since', 'until') limit 1);
begin
  if v_unknown is not null then
    perform wedsql._raise('WD550', 'Looks and changes are not selected by "{name}".',
      'Use actor, wid, attribute, since or until.', jsonb_build_object('name', left(v_unknown, 80)));
  end if;
end $$;

-- Returns the looks at values of a flow that {"actor", "wid", "attribute", "since", "until"} select, the
-- newest first, those before number p_before; at most p_limit, and 1,000.
-- Raises: WD001, WD550.
create or replace function wedsql.list_looks(p_flow text, p_where jsonb default '{}',
  p_before bigint default null, p_limit integer default 50) returns setof jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
begin
  perform wedsql._check_audit(p_where);
  return query
    select to_jsonb(l) - 'flow_id' from wedsql.look l
    where l.flow_id = v_flow.id and (p_before is null or l.id < p_before)
      and (not p_where ? 'actor' or l.actor = p_where ->> 'actor')
      and (not p_where ? 'wid' or l.wid = (p_where ->> 'wid')::integer)
      and (not p_where ? 'attribute' or p_where ->> 'attribute' = any (l.attributes))
      and (not p_where ? 'since' or l.at >= (p_where ->> 'since')::timestamptz)
      and (not p_where ? 'until' or l.at < (p_where ->> 'until')::timestamptz)
    order by l.id desc limit least(greatest(p_limit, 0), 1000);
end $$;

-- Returns the steps of a flow that people caused and that the same things select, the newest first: when, of
-- which instance, what was done by whom and why, and the names of the attributes that got other values.
-- p_before: {"at", "wid", "seq"} of the last step of the page before.
-- Raises: WD001, WD550.
create or replace function wedsql.list_changes(p_flow text, p_where jsonb default '{}',
  p_before jsonb default null, p_limit integer default 50) returns setof jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' set enable_seqscan = off as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
begin
  perform wedsql._check_audit(p_where);
  return query
    select jsonb_build_object('at', t.tstmp, 'wid', t.wid, 'seq', t.seq, 'done', t.trw, 'actor', t.actor,
      'reason', t.reason,
      'attributes', array(select k from jsonb_object_keys(coalesce(t.before, '{}')) k order by k))
    from wedsql.wed_trace t
    where t.flow_id = v_flow.id and t.reason is not null and t.actor <> 'kernel'
      and t.trw not in ('_FAIL', '_EXCPT', '_TIMER', '_TIMEOUT')
      and (p_before is null or (t.tstmp, t.wid, t.seq)
           < ((p_before ->> 'at')::timestamptz, (p_before ->> 'wid')::integer, (p_before ->> 'seq')::integer))
      and (not p_where ? 'actor' or t.actor = p_where ->> 'actor')
      and (not p_where ? 'wid' or t.wid = (p_where ->> 'wid')::integer)
      and (not p_where ? 'attribute' or t.before ? (p_where ->> 'attribute'))
      and (not p_where ? 'since' or t.tstmp >= (p_where ->> 'since')::timestamptz)
      and (not p_where ? 'until' or t.tstmp < (p_where ->> 'until')::timestamptz)
    order by t.tstmp desc, t.wid desc, t.seq desc limit least(greatest(p_limit, 0), 1000);
end $$;

grant execute on function
  wedsql.record_look(text, integer, text, text, text, bigint, interval),
  wedsql.look_at(integer, text[], text, text, text, boolean, text[], text),
  wedsql.list_looks(text, jsonb, bigint, integer), wedsql.list_changes(text, jsonb, jsonb, integer)
to wed_web;
