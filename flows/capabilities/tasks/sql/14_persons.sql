-- Persons: who is connected, to whom of a role a task is offered, and who does the tasks of who is away. The
-- site says with each heartbeat of a person which audiences that person belongs to. Only who is connected is
-- offered a task, so the kernel needs no other list of the members of a role.

-- Returns how often a person is noted, and how long after the last time a person is active: three misses.
create or replace function wedsql._heartbeat() returns interval
language sql immutable set search_path = pg_catalog, pg_temp as $$
select interval '1 minute'
$$;

-- Notes that a person is connected, with the audiences that the person belongs to (r:ROLE, f:FLOW); writes
-- once a minute at most. A person who was inactive is offered what others of the role were not enough for.
-- Who is active looks at some more of these tasks each time, in turns: one may have begun while the person
-- connected, or those to whom it was offered may have left. Returns whether the person was.
-- Locks: the person; what is watched of tasks, skipping what is locked.
-- Raises: WD009.
create or replace function wedsql.person_seen(p_person text, p_keys text[]) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_now timestamptz := wedsql.now();
  v_old wedsql.person;
  v_joined boolean;
begin
  perform wedsql._need_person(p_person);
  select p.* into v_old from wedsql.person p where p.name = p_person;
  if v_old.keys = p_keys and v_old.seen_at > v_now - wedsql._heartbeat() and v_old.seen_at <= v_now then
    return false;
  end if;
  v_joined := not coalesce(wedsql._is_active(v_old, v_now), false);
  insert into wedsql.person as p (name, keys, connected_at, seen_at) values (p_person, p_keys, v_now, v_now)
  on conflict (name) do update
  set keys = excluded.keys, seen_at = excluded.seen_at,
      connected_at = case when v_joined then excluded.connected_at else p.connected_at end;
  if v_joined or v_old.keys is distinct from p_keys then
    perform wedsql._offer_to(p_person, p_keys, 0, 1000, v_now);
  else
    perform wedsql._offer_to(p_person, p_keys, v_old.looked, 100, v_now);
  end if;
  return v_joined;
end $$;

-- Returns whether a person is active: seen within three heartbeats. One who was seen later than now, before
-- the clock was set back, is not, until the next heartbeat.
create or replace function wedsql._is_active(p_person wedsql.person, p_now timestamptz) returns boolean
language sql immutable set search_path = pg_catalog, pg_temp as $$
select p_person.seen_at > p_now - 3 * wedsql._heartbeat()
  and p_person.seen_at < p_now + 3 * wedsql._heartbeat()
$$;

-- Notes that a person is no longer active, who has said so; a next heartbeat ends that.
create or replace function wedsql._person_left(p_person text) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
update wedsql.person p set seen_at = least(p.seen_at, wedsql.now() - 3 * wedsql._heartbeat())
where p.name = p_person
$$;

-- Returns the persons who are active, the last connected first, up to 1,000.
create or replace function wedsql.active_persons()
returns table (name text, connected_at timestamptz, seen_at timestamptz, keys text[])
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select p.name, p.connected_at, p.seen_at, p.keys from wedsql.person p
where wedsql._is_active(p, wedsql.now()) order by p.connected_at desc, p.name limit 1000
$$;

-- Returns of at most 500 persons whether each is active, and how many tasks of these flows (null: of all)
-- each has performed in the last seven days, at most 1,000.
create or replace function wedsql.person_work(p_persons text[], p_flows text[] default null)
returns table (name text, active boolean, done integer)
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select u.name, exists (select from wedsql.person p where p.name = u.name
                         and wedsql._is_active(p, wedsql.now())),
  (select count(*)::integer from (
    select from wedsql.task t join wedsql.flow f on f.id = t.flow_id
    where t.ended_by = u.name and t.ended_at > wedsql.now() - interval '7 days' and t.state = 'D'
      and (p_flows is null or f.name = any (p_flows))
    order by t.ended_at desc limit 1000) d)
from unnest(p_persons[:500]) u (name)
$$;

-- Returns how many tasks a person has besides one: that the person holds, and unless p_held those that are
-- offered, too.
create or replace function wedsql._task_count(p_person text, p_besides bigint, p_held boolean) returns bigint
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select (select count(*) from wedsql.task t
        where t.owner = p_person and t.state in ('S', 'L', 'X') and t.job_id <> p_besides)
  + case when p_held then 0 else
      (select count(*) from wedsql.task_watch w join wedsql.task t on t.job_id = w.job_id
       where w.role is not null and w.offered @> array[p_person] and t.state = 'R' and w.job_id <> p_besides)
    end
$$;

-- Returns the first n persons of a role to whom a task is offered, of those who are active, or of p_among
-- only: the ones with the fewest tasks or the last connected; of equals by name.
create or replace function wedsql._best_of(p_watch wedsql.task_watch, p_excluded text[], p_among text[],
  p_now timestamptz) returns text[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(array_agg(b.name order by b.place), '{}') from (
  select p.name, row_number() over (order by
    case p_watch.notified when 'fewest_assigned' then wedsql._task_count(p.name, p_watch.job_id, false)
                          when 'fewest_selected' then wedsql._task_count(p.name, p_watch.job_id, true) end,
    case when p_watch.notified = 'last_connected' then p.connected_at end desc, p.name) as place
  from wedsql.person p
  where wedsql._is_active(p, p_now) and 'r:' || p_watch.role = any (p.keys)
    and p.name <> all (p_excluded) and (p_among is null or p.name = any (p_among))) b
where b.place <= p_watch.notified_count
$$;

-- Offers a new task to some of its role.
-- Locks: the task and what is watched of it.
create or replace function wedsql._offer_first(p_watch wedsql.task_watch, p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  update wedsql.task t set audience = 'n:' || t.job_id || ':' || p_watch.role
  where t.job_id = p_watch.job_id and left(t.audience, 2) = 'r:';
  update wedsql.task_watch w
  set offered = wedsql._best_of(p_watch, t.excluded, null, p_now)
  from wedsql.task t where w.job_id = p_watch.job_id and t.job_id = w.job_id;
end $$;

-- Offers tasks again whose audience has changed, to some of their role where they are for a role.
-- Locks: the tasks and what is watched of them.
create or replace function wedsql._offer_again(p_jobs bigint[], p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_watch wedsql.task_watch;
begin
  update wedsql.task_watch w set role = null, offered = '{}'
  from wedsql.task t where w.job_id = any (p_jobs) and t.job_id = w.job_id and left(t.audience, 2) <> 'n:';
  insert into wedsql.task_watch as w (job_id, wid, flow_id, role, notified, notified_count)
  select t.job_id, t.wid, t.flow_id, substr(t.audience, 3), s.notified, s.notified_count
  from wedsql.task t join wedsql.task_setting s on s.wid = t.wid
  where t.job_id = any (p_jobs) and left(t.audience, 2) = 'r:' and s.notified <> 'all'
  on conflict (job_id) do update
  set role = case when w.notified <> 'all' then excluded.role end;
  for v_watch in
    select w.* from wedsql.task_watch w where w.job_id = any (p_jobs) and w.role is not null order by w.job_id
  loop
    perform wedsql._offer_first(v_watch, p_now);
  end loop;
end $$;

-- Offers open tasks of these roles, up to p_max after the one of number p_after, to a person, if that person
-- is among the first n of those to whom each is offered; notes after which the next look goes on. No person
-- loses an offer by it.
-- Locks: the person; what is watched of the tasks, skipping what is locked.
create or replace function wedsql._offer_to(p_person text, p_keys text[], p_after bigint, p_max integer,
  p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_watch wedsql.task_watch;
  v_last bigint := 0;
  v_done integer := 0;
begin
  for v_watch in
    select w.* from wedsql.task_watch w
    where w.role = any (array(select substr(k, 3) from unnest(p_keys) k where left(k, 2) = 'r:'))
      and w.job_id > p_after and not w.offered @> array[p_person]
      and exists (select from wedsql.task t where t.job_id = w.job_id and t.state = 'R'
                  and left(t.audience, 2) = 'n:' and p_person <> all (t.excluded))
    order by w.job_id limit p_max for update skip locked
  loop
    v_done := v_done + 1;
    v_last := case when v_done = p_max then v_watch.job_id else 0 end;
    if p_person = any (wedsql._best_of(v_watch, '{}', v_watch.offered || p_person, p_now)) then
      update wedsql.task_watch w set offered = w.offered || p_person where w.job_id = v_watch.job_id;
    end if;
  end loop;
  update wedsql.person p set looked = v_last where p.name = p_person and p.looked <> v_last;
end $$;

-- Returns those who are away now and whose tasks a person does meanwhile: whom the person substitutes, and
-- whom these would. At most 1,000.
create or replace function wedsql._substituted_by(p_person text) returns text[]
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
with recursive away as (
  select a.person from wedsql.absence a
  where a.substitute = p_person and a.from_at <= wedsql.now() and a.until_at > wedsql.now()
  union
  select a.person from away w join wedsql.absence a on a.substitute = w.person
    and a.from_at <= wedsql.now() and a.until_at > wedsql.now())
select coalesce(array_agg(w.person), '{}') from (select * from away limit 1000) w where w.person <> p_person
$$;

-- Returns the audiences that a person belongs to besides roles: the person, those whom the person substitutes
-- now, and the tasks that are offered to some of a role, among them this person: the first 1,000 by priority
-- and deadline.
create or replace function wedsql.person_keys(p_person text) returns text[]
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
begin
  return array['p:' || p_person]
    || array(select 'p:' || s from unnest(wedsql._substituted_by(p_person)) s)
    || array(select t.audience from wedsql.task_watch w join wedsql.task t on t.job_id = w.job_id
             where w.role is not null and w.offered @> array[p_person] and t.state = 'R'
             and left(t.audience, 2) = 'n:' order by t.rank, t.due_at, t.job_id limit 1000);
end $$;

-- Returns who takes the tasks of a person in a time, and of those who take them.
create or replace function wedsql._substitutes_of(p_person text, p_from timestamptz, p_until timestamptz)
returns text[] language sql stable set search_path = pg_catalog, pg_temp as $$
with recursive away as (
  select a.substitute, greatest(a.from_at, p_from) as from_at, least(a.until_at, p_until) as until_at
  from wedsql.absence a
  where a.person = p_person and a.from_at < p_until and a.until_at > p_from
  union
  select a.substitute, greatest(a.from_at, w.from_at), least(a.until_at, w.until_at)
  from away w join wedsql.absence a on a.person = w.substitute
    and a.from_at < w.until_at and a.until_at > w.from_at)
select coalesce(array_agg(distinct w.substitute), '{}') from (select * from away limit 1000) w
$$;

-- Notes that a person is away, and who may take the tasks that are for that person meanwhile; returns the
-- number of the absence, which is that of the same one that there is.
-- Raises: WD009.
create or replace function wedsql.set_absence(p_person text, p_substitute text, p_from timestamptz,
  p_until timestamptz, p_actor text) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := wedsql.now();
  v_id bigint;
begin
  perform wedsql._alone('absence', '');  -- two persons who name each other at once
  perform wedsql._need_person(p_person);
  perform wedsql._need_person(p_substitute);
  if p_person = p_substitute then
    perform wedsql._raise('WD009', 'A substitute is another person.', 'Name one.');
  elsif p_from is null or p_until is null or p_until <= greatest(p_from, v_now)
        or p_until > v_now + interval '10 years' or p_from < v_now - interval '10 years' then
    perform wedsql._raise('WD009', 'An absence ends after it begins, and in the future, within ten years.',
                          'Give two such moments.');
  end if;
  select a.id into v_id from wedsql.absence a
  where a.person = p_person and a.substitute = p_substitute and a.from_at = p_from and a.until_at = p_until;
  if found then
    return v_id;
  elsif wedsql._substitutes_of(p_substitute, p_from, p_until) @> array[p_person] then
    perform wedsql._raise('WD009',
      'In this time "{substitute}" is away, and the tasks would come back to "{person}".',
      'Name a person who is there.', jsonb_build_object('substitute', p_substitute, 'person', p_person));
  elsif (select count(*) from wedsql.absence a where a.person = p_person and a.until_at > v_now) >= 20 then
    perform wedsql._raise('WD009', 'A person has at most 20 absences that come.', 'Remove one.');
  end if;
  insert into wedsql.absence (person, substitute, from_at, until_at, changed_by, changed_at)
  values (p_person, p_substitute, p_from, p_until, coalesce(p_actor, ''), v_now) returning id into v_id;
  return v_id;
end $$;

-- Removes an absence of a person; returns whether there was one of this number.
create or replace function wedsql.delete_absence(p_person text, p_id bigint) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from wedsql.absence a where a.id = p_id and a.person = p_person;
  return found;
end $$;

-- Returns the absences of a person that are not over, and those in which the person is the substitute.
create or replace function wedsql.absences(p_person text)
returns table (id bigint, person text, substitute text, from_at timestamptz, until_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select a.id, a.person, a.substitute, a.from_at, a.until_at from wedsql.absence a
where (a.person = p_person or a.substitute = p_person) and a.until_at > wedsql.now()
order by a.from_at, a.id limit 100
$$;

grant execute on function wedsql.person_seen(text, text[]), wedsql.person_work(text[], text[]),
  wedsql.active_persons(), wedsql.person_keys(text),
  wedsql.set_absence(text, text, timestamptz, timestamptz, text),
  wedsql.delete_absence(text, bigint), wedsql.absences(text) to wed_web;
grant execute on function wedsql.person_keys(text) to wed_reaper;
