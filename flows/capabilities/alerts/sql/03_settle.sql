-- The start and the end of alerts. Each happens in one transaction with its history and its deliveries, under
-- the lock of its rule, so that any number of reapers start and end an alert once.

-- Adds an entry to the history of a rule.
create or replace function wedsql._note_alert(p_rule bigint, p_event text, p_actor text default '',
  p_note text default '', p_value double precision default null, p_alert bigint default null) returns bigint
language sql volatile set search_path = pg_catalog, pg_temp as $$
insert into wedsql.alert_event (rule_id, alert_id, at, event, actor, note, value)
values (p_rule, p_alert, wedsql.now(), p_event, p_actor, p_note, p_value) returning id
$$;

-- Queues an entry of the history for every receiver of the rule.
create or replace function wedsql._queue_messages(p_rule wedsql.alert_rule, p_event bigint) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
insert into wedsql.delivery (event_id, channel, target, next_at)
select p_event, 'mail', m, wedsql.now() from unnest(p_rule.mail) m
union all
select p_event, 'webhook', p_rule.url, wedsql.now() where p_rule.url <> ''
$$;

-- Ends the active alert of a rule, if there is one. Its end is reported if its start was.
create or replace function wedsql._end_alert(p_rule wedsql.alert_rule, p_at timestamptz,
  p_value double precision) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_alert wedsql.alert;
  v_event bigint;
begin
  update wedsql.alert a set ended_at = greatest(p_at, a.started_at)
  where a.rule_id = p_rule.id and a.ended_at is null returning * into v_alert;
  if not found then
    return;
  end if;
  v_event := wedsql._note_alert(p_rule.id, 'ended', '', '', p_value, v_alert.id);
  if v_alert.reported then
    perform wedsql._queue_messages(p_rule, v_event);
  end if;
end $$;

-- Starts an alert if none is active, and reports it unless the rule is silenced; one that was silenced and is
-- still active is reported when that ends.
create or replace function wedsql._start_alert(p_rule wedsql.alert_rule, p_at timestamptz,
  p_value double precision) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_alert wedsql.alert;
  v_event bigint;
begin
  select * into v_alert from wedsql.alert a where a.rule_id = p_rule.id and a.ended_at is null;
  if not found then
    insert into wedsql.alert (rule_id, started_at, value) values (p_rule.id, p_at, p_value)
    returning * into v_alert;
    perform wedsql._note_alert(p_rule.id, 'started', '', '', p_value, v_alert.id);
  end if;
  if v_alert.reported or p_rule.silenced_until > wedsql.now() then
    return;
  end if;
  update wedsql.alert a set reported = true where a.id = v_alert.id;
  v_event := (select max(e.id) from wedsql.alert_event e
              where e.rule_id = p_rule.id and e.alert_id = v_alert.id and e.event = 'started');
  perform wedsql._queue_messages(p_rule, v_event);
end $$;

-- Notes a failure to evaluate a rule when it begins and when it ends, and reports both.
create or replace function wedsql._note_alert_failure(p_rule wedsql.alert_rule, p_error text) returns void
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  v_event text := case when p_rule.error is null and p_error is not null then 'failed'
                       when p_rule.error is not null and p_error is null then 'recovered' end;
begin
  if v_event is not null then
    perform wedsql._queue_messages(p_rule, wedsql._note_alert(p_rule.id, v_event, '', coalesce(p_error, '')));
  end if;
end $$;

-- Takes what was measured at p_at by a revision of a rule, or why that failed, and starts or ends its alert.
-- Returns whether it was used: a measurement that is older than the last, or of another revision, is not. A
-- failure neither starts nor ends an alert. A rule without a value, such as the age of no exception, does not
-- hold.
-- Locks: the rule.
create or replace function wedsql.settle_alert_rule(p_rule bigint, p_revision integer, p_at timestamptz,
  p_value double precision, p_error text default null) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_rule wedsql.alert_rule;
  v_holds boolean;
begin
  select * into v_rule from wedsql.alert_rule r where r.id = p_rule for update;
  if not found or not v_rule.enabled or v_rule.revision <> p_revision or v_rule.measured_at >= p_at then
    return false;
  end if;
  perform wedsql._note_alert_failure(v_rule, left(p_error, 500));
  v_holds := coalesce(case v_rule.sign when '>' then p_value > v_rule.threshold
                      else p_value < v_rule.threshold end, false);
  update wedsql.alert_rule r
  set measured_at = p_at, error = left(p_error, 500),
      value = case when p_error is null then p_value else r.value end,
      since = case when p_error is not null then r.since when v_holds then coalesce(r.since, p_at) end
  where r.id = p_rule returning r.* into v_rule;
  if p_error is null and not v_holds then
    perform wedsql._end_alert(v_rule, p_at, p_value);
  elsif p_error is null and p_at - v_rule.since >= v_rule.lasting then
    perform wedsql._start_alert(v_rule, p_at, p_value);
  end if;
  return true;
end $$;

grant execute on function
  wedsql.settle_alert_rule(bigint, integer, timestamptz, double precision, text) to wed_reaper;
