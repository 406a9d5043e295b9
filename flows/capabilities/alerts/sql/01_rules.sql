-- Rules of alerts. Whoever defines a rule may operate its flow; that is checked by the caller.

-- Returns the state of a rule. One that cannot be evaluated may have an active alert too.
create or replace function wedsql._alert_state(p_rule wedsql.alert_rule) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select case when not p_rule.enabled then 'off'
            when p_rule.error is not null then 'failing'
            when exists (select from wedsql.alert a where a.rule_id = p_rule.id and a.ended_at is null)
              then 'active'
            when p_rule.since is not null then 'pending'
            when p_rule.measured_at is null then 'new'
            else 'normal' end
$$;

-- Returns a rule for clients, without its secret: with its flow, its state, and its active alert or null.
create or replace function wedsql._alert_rule(p_rule wedsql.alert_rule) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select to_jsonb(p_rule) - '{secret,flow_id,next_at,silenced_until,since}'::text[] || jsonb_build_object(
  'flow', (select f.name from wedsql.flow f where f.id = p_rule.flow_id),
  'state', wedsql._alert_state(p_rule), 'held_since_at', p_rule.since,
  'lasting', extract(epoch from p_rule.lasting)::float8,
  'silenced_until_at', case when p_rule.silenced_until > wedsql.now() then p_rule.silenced_until end,
  'active', (select to_jsonb(a) - '{reported,rule_id,ended_at}'::text[] from wedsql.alert a
             where a.rule_id = p_rule.id and a.ended_at is null))
$$;

-- Locks and returns a rule.
-- Raises: WD509.
create or replace function wedsql._locked_alert_rule(p_rule bigint) returns wedsql.alert_rule
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_rule wedsql.alert_rule;
begin
  select * into v_rule from wedsql.alert_rule r where r.id = p_rule for update;
  if not found then
    perform wedsql._raise('WD509', 'There is no alert rule {rule}.', 'It may have been removed.',
      jsonb_build_object('rule', p_rule));
  end if;
  return v_rule;
end $$;

-- Checks that there are rules of a kind.
-- Raises: WD508.
create or replace function wedsql._check_alert_kind(p_kind text) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if p_kind is null or p_kind not in ('count', 'exception_age', 'queue_age', 'workers') then
    perform wedsql._raise('WD508', 'There is no alert rule of the kind "{kind}".',
      'Use count, exception_age, queue_age or workers.', jsonb_build_object('kind', left(p_kind, 80)));
  end if;
end $$;

-- Rejects a rule that cannot be evaluated or delivered.
-- Raises: WD508.
create or replace function wedsql._check_alert_rule(p_rule wedsql.alert_rule) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._check_alert_kind(p_rule.kind);
  if coalesce(p_rule.name, '') = '' or length(p_rule.name) > 80 then
    perform wedsql._raise('WD508', 'The name of an alert rule has 1 to {limit} characters.',
      'Give it a short name.', jsonb_build_object('limit', 80));
  elsif p_rule.kind in ('queue_age', 'workers') and (coalesce(p_rule.trname, '') in ('', '_EXCPT')
        or not wedsql._may_be_offered(p_rule.flow_id, p_rule.trname)) then
    if exists (select 1 from wedsql.trig t where t.flow_id = p_rule.flow_id and t.trname = p_rule.trname
               and not t.cfinal and t.integrity is null) then
      perform wedsql._raise('WD508',
        'No worker performs the transition "{transition}", so no job of it waits.',
        'The database or people perform it, or its rule waits for a signal or for children.',
        jsonb_build_object('transition', p_rule.trname));
    end if;
    perform wedsql._raise('WD508', 'The flow has no transition "{transition}".',
      'Choose one of its transitions.', jsonb_build_object('transition', p_rule.trname));
  elsif p_rule.sign = '<' and p_rule.threshold = 0 then
    perform wedsql._raise('WD508', 'Nothing is below 0, so the rule would never hold.',
      'Use < 1 for none at all, or >.');
  elsif p_rule.sign is null or p_rule.sign not in ('>', '<') or p_rule.threshold is null
        or not p_rule.threshold between 0 and 1e12 then
    perform wedsql._raise('WD508', 'A rule compares with > or < and a number from 0.',
      'Give both.');
  elsif not p_rule.lasting between interval '0' and interval '30 days' then
    perform wedsql._raise('WD508', 'A condition must last from 0 seconds to 30 days.', 'Use a shorter time.');
  elsif cardinality(p_rule.mail) > 20 or length(p_rule.query) > 4000 or length(p_rule.url) > 2000
        or length(p_rule.secret) > 200
        or exists (select from unnest(p_rule.mail) m
                   where m is null or length(m) > 254 or m !~ '^[^[:space:],;<>@]+@[^[:space:],;<>@]+$') then
    perform wedsql._raise('WD508', 'The receivers of the rule "{name}" cannot be used.',
      'Give at most 20 mail addresses and one address of a webhook.',
      jsonb_build_object('name', p_rule.name));
  elsif p_rule.url <> '' and p_rule.secret = '' then
    perform wedsql._raise('WD508', 'A webhook needs a secret, which signs its messages.', 'Give a secret.');
  end if;
end $$;

-- Saves a rule; p_rule has the columns of wedsql.alert_rule that a client gives, "lasting" in seconds. With
-- p_id an existing one is replaced, which keeps its secret unless it is given. It is measured at once.
-- Locks: the rule.
-- Raises: WD001, WD508, WD509.
create or replace function wedsql.save_alert_rule(p_flow text, p_rule jsonb, p_actor text,
  p_id bigint default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_old wedsql.alert_rule;
  v_new wedsql.alert_rule;
begin
  perform wedsql._alone('alert_rule', p_flow);
  v_new.flow_id := (wedsql._flow(p_flow)).id;
  if p_id is not null then
    v_old := wedsql._locked_alert_rule(p_id);
    if v_old.flow_id <> v_new.flow_id then
      perform wedsql._raise('WD509', 'There is no alert rule {rule}.', 'It may have been removed.',
        jsonb_build_object('rule', p_id));
    end if;
  elsif (select count(*) from wedsql.alert_rule r where r.flow_id = v_new.flow_id) >= 100 then
    perform wedsql._raise('WD508', 'The flow has {limit} alert rules; there can be no more.',
      'Remove those that are not needed.', jsonb_build_object('limit', 100));
  end if;
  v_new.name := btrim(p_rule ->> 'name');
  v_new.kind := p_rule ->> 'kind';
  v_new.query := case when v_new.kind = 'count' then coalesce(p_rule ->> 'query', '') else '' end;
  v_new.trname := case when v_new.kind in ('queue_age', 'workers')
                  then coalesce(p_rule ->> 'trname', '') else '' end;
  v_new.sign := p_rule ->> 'sign';
  v_new.threshold := p_rule ->> 'threshold';
  v_new.lasting := make_interval(secs => coalesce((p_rule ->> 'lasting')::float8, 0));
  v_new.enabled := coalesce((p_rule ->> 'enabled')::boolean, true);
  v_new.mail := array(select jsonb_array_elements_text(coalesce(p_rule -> 'mail', '[]')));
  v_new.url := coalesce(p_rule ->> 'url', '');
  v_new.secret := case when v_new.url = '' then ''
                  else coalesce(nullif(p_rule ->> 'secret', ''), v_old.secret, '') end;
  perform wedsql._check_alert_rule(v_new);
  if exists (select from wedsql.alert_rule r where r.flow_id = v_new.flow_id and r.name = v_new.name
             and r.id is distinct from p_id) then
    perform wedsql._raise('WD508', 'The flow has an alert rule "{name}" already.', 'Choose another name.',
      jsonb_build_object('name', v_new.name));
  end if;
  if p_id is null then
    insert into wedsql.alert_rule (flow_id, name, kind, query, trname, sign, threshold, lasting, enabled,
      mail, url, secret, changed_by, changed_at, next_at)
    values (v_new.flow_id, v_new.name, v_new.kind, v_new.query, v_new.trname, v_new.sign, v_new.threshold,
      v_new.lasting, v_new.enabled, v_new.mail, v_new.url, v_new.secret, p_actor, wedsql.now(), wedsql.now())
    returning * into v_new;
  else
    update wedsql.alert_rule r
    set name = v_new.name, kind = v_new.kind, query = v_new.query, trname = v_new.trname, sign = v_new.sign,
        threshold = v_new.threshold, lasting = v_new.lasting, enabled = v_new.enabled, mail = v_new.mail,
        url = v_new.url, secret = v_new.secret, revision = r.revision + 1, changed_by = p_actor,
        changed_at = wedsql.now(), next_at = wedsql.now(), measured_at = null, value = null, since = null,
        error = null
    where r.id = p_id returning r.* into v_new;
  end if;
  perform wedsql._note_alert(v_new.id, case when p_id is null then 'defined' else 'changed' end, p_actor);
  if not v_new.enabled then
    perform wedsql._end_alert(v_new, wedsql.now(), null);
  end if;
  return wedsql._alert_rule(v_new);
end $$;

-- Removes a rule with its history.
-- Raises: WD509.
create or replace function wedsql.delete_alert_rule(p_rule bigint, p_actor text default null)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._locked_alert_rule(p_rule);
  perform wedsql._changing(p_actor);
  delete from wedsql.alert_rule r where r.id = p_rule;
end $$;

-- Returns the rules of these flows, or with null of all: those with an active alert first,
-- then those that cannot be evaluated, those whose condition holds, and last those that are switched off.
create or replace function wedsql.list_alert_rules(p_flows text[]) returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select wedsql._alert_rule(r)
from wedsql.alert_rule r join wedsql.flow f on f.id = r.flow_id
left join wedsql.alert a on a.rule_id = r.id and a.ended_at is null
where p_flows is null or f.name = any (p_flows)
order by a.started_at desc nulls last, r.error is null, r.since is null, not r.enabled, f.name, r.name
limit 1000
$$;

-- Returns these rules in their order, those of these flows (null: of all), at most 501.
create or replace function wedsql.alert_rule_items(p_flows text[], p_rules bigint[]) returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select wedsql._alert_rule(r)
from unnest(p_rules[:501]) with ordinality n (id, place)
join wedsql.alert_rule r on r.id = n.id join wedsql.flow f on f.id = r.flow_id
where p_flows is null or f.name = any (p_flows)
order by n.place
$$;

-- Returns the state of a rule as it is shown.
create or replace function wedsql.alert_state(p_rule bigint) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select wedsql._alert_state(r) from wedsql.alert_rule r where r.id = p_rule
$$;

-- Returns how many rules of these flows (null: of all) there are of each state.
create or replace function wedsql.count_alert_states(p_flows text[]) returns table (state text, n bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select wedsql._alert_state(r), count(*) from wedsql.alert_rule r
where p_flows is null or r.flow_id in (select f.id from wedsql.flow f where f.name = any (p_flows))
group by 1
$$;

-- Filters of lists, and of alerts, compare what rules have; not where their messages go.
grant select (id, flow_id, name, kind, query, trname, threshold, enabled, changed_by, changed_at, value,
  since, error) on wedsql.alert_rule to wed_web, wed_reaper, wed_monitor;
grant select (id, rule_id, started_at, ended_at, acknowledged_by) on wedsql.alert
to wed_web, wed_reaper, wed_monitor;
grant execute on function wedsql.alert_state(bigint) to wed_web, wed_reaper, wed_monitor;
grant execute on function wedsql.alert_rule_items(text[], bigint[]), wedsql.count_alert_states(text[])
to wed_web;

-- Returns a rule.
-- Raises: WD509.
create or replace function wedsql.read_alert_rule(p_rule bigint) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_rule wedsql.alert_rule := (select r from wedsql.alert_rule r where r.id = p_rule);
begin
  if v_rule.id is null then
    perform wedsql._raise('WD509', 'There is no alert rule {rule}.', 'It may have been removed.',
      jsonb_build_object('rule', p_rule));
  end if;
  return wedsql._alert_rule(v_rule);
end $$;

-- Returns how many alerts of these flows (null: of all) are active, how many of them are not acknowledged,
-- and how many rules cannot be evaluated.
create or replace function wedsql.count_alerts(p_flows text[])
returns table (active bigint, unacknowledged bigint, failing bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select count(a.id), count(a.id) filter (where a.acknowledged_at is null),
       count(*) filter (where r.enabled and r.error is not null)
from wedsql.alert_rule r left join wedsql.alert a on a.rule_id = r.id and a.ended_at is null
where p_flows is null or r.flow_id in (select f.id from wedsql.flow f where f.name = any (p_flows))
$$;

grant execute on function
  wedsql.save_alert_rule(text, jsonb, text, bigint), wedsql.delete_alert_rule(bigint, text),
  wedsql.list_alert_rules(text[]), wedsql.read_alert_rule(bigint), wedsql.count_alerts(text[]) to wed_web;
