-- What is chosen for an instance whose flow people perform tasks of: who is responsible, how many hours
-- before a deadline messages are sent, and to how many of a role a task is offered. The flow has the
-- defaults; what an instance has is chosen at its start, and can be changed while it runs.

-- Returns the values that are chosen for an instance: none where there is no row, as its flow had none when
-- it started.
create or replace function wedsql._settings_of(p_wid integer) returns wedsql.task_setting
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select coalesce(s, row(i.wid, i.flow_id, null, '{}', 'all', 1, false, '', '-infinity'::timestamptz)
                   ::wedsql.task_setting)
from wedsql.instance i left join wedsql.task_setting s on s.wid = i.wid where i.wid = p_wid
$$;

-- Returns the values that an instance has which this transaction has started: the options of its flow.
create or replace function wedsql._first_settings(p_wid integer) returns wedsql.task_setting
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select row(i.wid, f.id, f.responsible, wedsql._ordered_warnings(f.warnings), f.notified, f.notified_count,
           false, '', '-infinity'::timestamptz)::wedsql.task_setting
from wedsql.instance i join wedsql.flow f on f.id = i.flow_id where i.wid = p_wid
$$;

-- Returns warnings in their order, each once: "24", "6 transfer".
create or replace function wedsql._ordered_warnings(p_lines text[]) returns text[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(array_agg(o.line order by o.hours desc), '{}') from (
  select distinct on (n.hours) n.line, n.hours
  from unnest(p_lines) l (raw) cross join lateral (select btrim(l.raw) as line) b
  cross join lateral (select b.line, split_part(b.line, ' ', 1)::numeric as hours) n
  where n.hours > 0 order by n.hours, length(n.line) desc) o
$$;

-- Returns the hours of warnings; p_transfer: only that at which the task goes to the responsible person.
create or replace function wedsql._warning_hours(p_lines text[], p_transfer boolean default false)
  returns numeric[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(array_agg(split_part(l, ' ', 1)::numeric order by split_part(l, ' ', 1)::numeric desc), '{}')
from unnest(p_lines) l where not p_transfer or l like '%transfer'
$$;

-- Returns settings with those of p_settings changed: {"responsible", "warnings", "notified",
-- "notified_count"}; a responsible person that is null or empty is none.
-- Raises: WD009.
create or replace function wedsql._changed_settings(p_old wedsql.task_setting, p_settings jsonb)
  returns wedsql.task_setting
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_unknown text;
begin
  if jsonb_typeof(p_settings) is distinct from 'object' then
    perform wedsql._raise('WD009', 'The settings of an instance are an object by name.');
  end if;
  select k into v_unknown from jsonb_object_keys(
    p_settings - '{responsible,warnings,notified,notified_count}'::text[]) k limit 1;
  if v_unknown is not null then
    perform wedsql._raise('WD009', 'An instance has no setting "{name}".',
      'Change responsible, warnings, notified or notified_count.',
      jsonb_build_object('name', left(v_unknown, 80)));
  end if;
  if p_settings ? 'responsible' then
    p_old.responsible := nullif(btrim(p_settings ->> 'responsible'), '');
    if length(p_old.responsible) > 200 then
      perform wedsql._raise('WD009', 'The name of a person has at most 200 characters.');
    end if;
  end if;
  if p_settings ? 'warnings' then
    p_old.warnings := wedsql._read_warnings(p_settings -> 'warnings');
  end if;
  p_old.notified := coalesce(p_settings ->> 'notified', p_old.notified);
  if p_old.notified not in ('all', 'fewest_assigned', 'fewest_selected', 'last_connected') then
    perform wedsql._raise('WD009', 'There is no notification policy "{name}".',
      'Choose all, fewest_assigned, fewest_selected or last_connected.',
      jsonb_build_object('name', left(p_old.notified, 80)));
  end if;
  if p_settings ? 'notified_count' and coalesce(p_settings ->> 'notified_count',
    '') !~ '^([1-9][0-9]{0,2}|1000)$' then
    perform wedsql._raise('WD009', 'A task is offered to 1 to 1000 persons of a role.',
                          'Give such a number.');
  end if;
  p_old.notified_count := coalesce((p_settings ->> 'notified_count')::integer, p_old.notified_count);
  return p_old;
end $$;

-- Returns warnings of JSON: a list of hours, as numbers or texts, one of which may end with " transfer".
-- Raises: WD009.
create or replace function wedsql._read_warnings(p_warnings jsonb) returns text[]
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_lines text[];
  v_wrong text;
begin
  if jsonb_typeof(p_warnings) not in ('array', 'null') then
    perform wedsql._raise('WD009', 'The hours before a deadline are a list.',
      'Such as ["24", "6 transfer"].');
  end if;
  v_lines := case when jsonb_typeof(p_warnings) = 'array'
                  then array(select btrim(e) from jsonb_array_elements_text(p_warnings) e) else '{}' end;
  select coalesce(l, '') into v_wrong from unnest(v_lines) l
  where coalesce(l, '') !~ '^[0-9]{1,4}([.][0-9]{1,2})?( transfer)?$' or l ~ '^0+([.]0+)?( |$)' limit 1;
  if v_wrong is not null then
    perform wedsql._raise('WD009', '"{value}" is no number of hours before a deadline.',
      'Give numbers of hours above 0 such as 24 or 0.5, one of which may be followed by the word transfer.',
      jsonb_build_object('value', left(v_wrong, 80)));
  elsif cardinality(v_lines) > 20 or cardinality(wedsql._warning_hours(v_lines, true)) > 1 then
    perform wedsql._raise('WD009',
      'There are at most 20 numbers of hours before a deadline, and one at which '
      'the task goes to the responsible person.', 'Give fewer.');
  end if;
  return wedsql._ordered_warnings(v_lines);
end $$;

-- Keeps the options of the flow, if it has any, as what is chosen for those of the instances that this
-- transaction has started: an option that is changed later changes no instance that runs. The responsible
-- person gets a message of the start.
-- Locks: none; the caller holds the instances.
create or replace function wedsql._begin_settings(p_wids integer[], p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan as $$
begin
  if not exists (select from wedsql.instance i join wedsql.flow f on f.id = i.flow_id
                 where i.wid = any (p_wids) and f.followed
                   and (f.responsible is not null or f.warnings <> '{}' or f.notified <> 'all')) then
    return;
  end if;
  with made as (
    insert into wedsql.task_setting (wid, flow_id, responsible, warnings, notified, notified_count,
      changed_at)
    select i.wid, f.id, f.responsible, wedsql._ordered_warnings(f.warnings), f.notified, f.notified_count,
           p_now
    from wedsql.instance i join wedsql.flow f on f.id = i.flow_id
    cross join lateral (select t.xid from wedsql.wed_trace t where t.wid = i.wid order by t.seq limit 1) h
    where i.wid = any (p_wids) and f.followed and h.xid = wedsql._own_xid()
      and (f.responsible is not null or f.warnings <> '{}' or f.notified <> 'all')
      and not exists (select from wedsql.task_setting s where s.wid = i.wid)
    on conflict (wid) do nothing
    returning wid, flow_id, responsible)
  insert into wedsql.message (person, kind, at, flow_id, wid, facts, mail)
  select m.responsible, 's', p_now, m.flow_id, m.wid, jsonb_build_object('actor', h.actor),
    wedsql._wants_mail(m.responsible)
  from made m cross join lateral (select t.actor from wedsql.wed_trace t where t.wid = m.wid
                                  order by t.seq limit 1) h
  where m.responsible is not null;
end $$;

-- Returns the number of this transaction as the history has it.
create or replace function wedsql._own_xid() returns bigint
language sql stable set search_path = pg_catalog, pg_temp as $$
select pg_current_xact_id()::text::bigint
$$;

-- Starts an instance with settings, and returns what <flow>.start_many does; where the key names an instance
-- that was started before, that one keeps its settings.
-- Raises: WD001, WD009; as <flow>.start_many.
create or replace function wedsql.start_with_settings(p_flow text, p_state jsonb, p_settings jsonb,
  p_actor text default null, p_key text default null)
returns table (ord integer, wid integer, status text, sqlstate text, message text, hint text, detail text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  v_started record;
begin
  perform wedsql._changed_settings(row(0, 0, null, '{}', 'all', 1, false, '', null)::wedsql.task_setting,
                                   p_settings);
  select * into v_started from wedsql.start_many(p_flow, array[p_state], p_actor, array[p_key]);
  if v_started.sqlstate is null and v_started.detail is null then
    perform wedsql._choose_at_start(v_started.wid, p_settings, wedsql._actor(p_actor), wedsql.now());
  end if;
  return query select v_started.ord, v_started.wid, v_started.status, v_started.sqlstate, v_started.message,
    v_started.hint, v_started.detail;
end $$;

-- Gives an instance that this transaction has started its settings, instead of those of the flow.
-- Raises: WD009.
create or replace function wedsql._choose_at_start(p_wid integer, p_settings jsonb, p_actor text,
  p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_new wedsql.task_setting := wedsql._changed_settings(wedsql._first_settings(p_wid), p_settings);
begin
  v_new.changed_by := p_actor;
  v_new.changed_at := p_now;
  delete from wedsql.message m where m.wid = p_wid;
  delete from wedsql.task_setting s where s.wid = p_wid;
  insert into wedsql.task_setting select (v_new).*;
  perform wedsql._send_message(array[v_new.responsible], 's', v_new.flow_id, p_wid, null,
                               jsonb_build_object('actor', p_actor), p_now);
  update wedsql.task t set audience = 'r:' || w.role from wedsql.task_watch w
  where t.wid = p_wid and w.job_id = t.job_id and left(t.audience, 2) = 'n:';
  delete from wedsql.task_watch w where w.wid = p_wid;
  perform wedsql._begin_watch(array(select t.job_id from wedsql.task t
                                    where t.wid = p_wid and t.ended_at is null), p_now);
  perform wedsql._message_ends(array[p_wid], p_now);
end $$;

-- Returns the settings of an instance: {"responsible", "warnings", "notified", "notified_count",
-- "changed_by", "changed_at"}; null where there is no such instance.
create or replace function wedsql.task_settings(p_wid integer) returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
select to_jsonb(s) - '{wid,flow_id,ended,changed_at}'::text[]
  || jsonb_build_object('changed_at', nullif(s.changed_at, '-infinity'))
from wedsql._settings_of(p_wid) s where s.wid is not null
$$;

-- Changes settings of a living instance, and returns them; what is not named stays. Messages that were sent
-- are not sent again, and tasks that were offered stay as they are. p_force: also by who is not responsible.
-- Locks: the instance, its settings, what is watched of its tasks.
-- Raises: WD009, WD104, WD105; WD591 for who is not the responsible person.
create or replace function wedsql.set_task_settings(p_wid integer, p_settings jsonb, p_person text,
  p_force boolean default false) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_now timestamptz := wedsql.now();
  v_flow wedsql.flow := wedsql._operate(p_wid, 'settings', true);
  v_old wedsql.task_setting := wedsql._settings_of(p_wid);
  v_new wedsql.task_setting;
begin
  if not p_force then
    perform wedsql._check_responsible(v_old, p_person);
  end if;
  v_new := wedsql._changed_settings(v_old, p_settings);
  insert into wedsql.task_setting as s (wid, flow_id, responsible, warnings, notified, notified_count,
                                        changed_by, changed_at)
  values (p_wid, v_flow.id, v_new.responsible, v_new.warnings, v_new.notified, v_new.notified_count,
          p_person, v_now)
  on conflict (wid) do update
  set responsible = excluded.responsible, warnings = excluded.warnings, notified = excluded.notified,
      notified_count = excluded.notified_count, changed_by = excluded.changed_by,
      changed_at = excluded.changed_at;
  if v_new.warnings <> v_old.warnings then
    update wedsql.task_watch w
    set hours = n.hours, next_at = case when w.next_at = 'infinity' then w.next_at
                                        else wedsql._next_message(w.due_at, n.hours) end
    from (select o.job_id, wedsql._changed_hours(o, v_new.warnings, v_now) as hours
          from wedsql.task_watch o where o.wid = p_wid and o.due_at < 'infinity') n
    where w.job_id = n.job_id;
  end if;
  return wedsql.task_settings(p_wid);
end $$;

-- Raises: WD591 where this is not the responsible person of an instance.
create or replace function wedsql._check_responsible(p_setting wedsql.task_setting, p_person text)
  returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  if p_setting.responsible is distinct from p_person or p_person is null then
    perform wedsql._raise('WD591', 'The person responsible for instance {instance} decides about it, not '
      '{person}.', 'Ask that person, or who operates the flow.', jsonb_build_object(
        'instance', p_setting.wid, 'person', p_person, 'responsible', p_setting.responsible));
  end if;
end $$;

-- Returns who is responsible for an instance; null for none.
create or replace function wedsql._responsible(p_wid integer) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select s.responsible from wedsql._settings_of(p_wid) s
$$;

grant execute on function wedsql.start_with_settings(text, jsonb, jsonb, text, text),
  wedsql.set_task_settings(integer, jsonb, text, boolean) to wed_web;
grant execute on function wedsql.task_settings(integer) to wed_web, wed_monitor;
