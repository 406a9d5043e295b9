-- The invariants (docs/reliability.md): what is true between any two commits, whatever failed before.
-- They read only stored facts, never the engine's derived values, and evaluate conditions again with the
-- matchers. In each query {i} stands for the instances that are checked, and one row of it is one violation.
-- Those of capabilities come by a hook.

-- Returns the engine's invariants that need no flow's own table; those of capabilities are a hook. They come
-- as queries that return one object per violation.
create or replace function wedsql._invariant_queries() returns table (name text, sentence text, query text)
language sql immutable set search_path = pg_catalog, pg_temp as $$
values
('I1', 'A running instance has work pending or a timer; an exception waits for its repair.', $q$
  select jsonb_build_object('wid', i.wid, 'status', i.status) as found from {i} i
  where i.status = 'R'
    and not exists (select 1 from wedsql.job_pool j
                    where j.wid = i.wid and j.tgid > 0 and j.state in ('P', 'L'))
                       and not exists (select 1 from wedsql.timer x where x.wid = i.wid)
     or i.status = 'E'
     and not exists (select 1 from wedsql.job_pool j where j.wid = i.wid and j.tgid = 0)$q$),
('I4', 'A claim and a job are applied once, and every job applied has a number that was given out.', $q$
  select jsonb_build_object('wid', min(t.wid), 'job', t.job_id, 'times', count(*)) as found
  from {i} i join wedsql.wed_trace t on t.wid = i.wid where t.job_id is not null
  group by t.job_id having count(*) > 1 or t.job_id > (select s.last_value from wedsql.job_seq s)
  union all
  select jsonb_build_object('wid', min(t.wid), 'claim', t.claim, 'times', count(*))
  from {i} i join wedsql.wed_trace t on t.wid = i.wid where t.claim is not null
  group by t.claim having count(*) > 1$q$),
('I5', 'What has ended has no pending work; a job is ready, leased, or parked at an exception.', $q$
  select jsonb_build_object('wid', i.wid, 'status', i.status, 'job', j.id, 'state', j.state) as found
  from {i} i join wedsql.job_pool j on j.wid = i.wid
  where i.status not in ('R', 'E', 'S', 'X')
     or (j.tgid = 0 or j.state = 'K') and i.status not in ('E', 'S', 'X')
     or i.status = 'X' and j.state <> 'K' and (j.tgid = 0
       or (j.state = 'S') = wedsql._call_compensates(j.wid, j.id))
     or i.status <> 'X' and (j.state = 'S') <> (i.status = 'S' and j.state <> 'K')
     or j.flow_id <> i.flow_id or (j.state = 'L') <> (j.claim is not null and j.lease_until is not null)
  union all
  select jsonb_build_object('wid', i.wid, 'status', i.status, 'timer', x.tgid)
  from {i} i join wedsql.timer x on x.wid = i.wid where i.status not in ('R', 'E', 'S', 'X')
  union all
  select jsonb_build_object('wid', i.wid, 'job', j.id, 'lock', j.lock, 'other', o.id)
  from {i} i join wedsql.job_pool j on j.wid = i.wid
  join wedsql.job_pool o on o.lock = j.lock and o.id <> j.id
  where j.state = 'L' and o.state = 'L'$q$),
('I6', 'What a job did, and every job that waits, was fired by an earlier step of its instance.', $q$
  select jsonb_build_object('wid', i.wid, 'seq', t.seq, 'job', t.job_id) as found
  from {i} i join wedsql.wed_trace t on t.wid = i.wid
  where left(t.trw, 1) <> '_' and not coalesce(t.job_id is not null and t.cause_seq < t.seq and exists (
    select 1 from wedsql.wed_trace c
    where c.wid = t.wid and c.seq = t.cause_seq and t.tgid = any (c.fired)), false)
  union all
  select jsonb_build_object('wid', o.wid, 'job', o.id, 'cause', o.cause_seq)
  from (select j.* from {i} i join wedsql.job_pool j on j.wid = i.wid
        where j.tgid > 0 and not exists (
          select 1 from wedsql.wed_trace c
          where c.wid = j.wid and c.seq = j.cause_seq and j.tgid = any (c.fired)) offset 0) o
  where not wedsql._call_compensates(o.wid, o.id)$q$),
('I7', 'Every failed attempt is counted on its job and recorded in the log.', $q$
  select jsonb_build_object('wid', i.wid, 'job', j.id, 'counted', j.attempts, 'logged', l.n) as found
  from {i} i join wedsql.job_pool j on j.wid = i.wid
  cross join lateral (select count(*) as n from wedsql.job_log l where l.wid = j.wid and l.job_id = j.id
                      and wedsql._is_attempt(l.outcome)) l
  where j.tgid > 0 and j.attempts <> l.n$q$),
('I8', 'No session holds a transaction open or waits for a lock indefinitely; nothing is prepared.', $q$
  select jsonb_build_object('pid', a.pid, 'application', a.application_name, 'since', a.xact_start) as found
  from pg_stat_activity a
  where a.datname = current_database() and a.backend_type = 'client backend' and a.pid <> pg_backend_pid()
    and (a.backend_xid is not null or a.usename like E'wed\\_%') and a.state like 'idle in transaction%'
    and a.state_change < clock_timestamp() - interval '15 minutes'
  union all
  select jsonb_build_object('pid', l.pid, 'waits_for', l.locktype, 'since', l.waitstart)
  from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where a.datname = current_database() and not l.granted
    and l.waitstart < clock_timestamp() - interval '1 minute'
  union all
  select jsonb_build_object('prepared', p.gid, 'since', p.prepared) from pg_prepared_xacts p
  where p.database = current_database()$q$)
$$;

-- Returns the query for the final instances of the present version that violate an integrity condition and
-- were not accepted so, with "union all" behind it; empty for a flow without integrity conditions.
create or replace function wedsql._guarded_query(p_flow wedsql.flow) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select case when p_flow.guarded then format($q$
      select jsonb_build_object('flow', %2$L, 'wid', i.wid, 'violates', v.m) as found
      from {i} i join %2$I.wed_flow w on w.wid = i.wid
      join wedsql.wed_trace h on h.wid = i.wid and h.seq = i.seq
      cross join lateral (select wed_match.i_%1$s(w.*, true) as m) v
      where i.flow_id = %1$s and i.status = 'F' and h.version = %3$s and h.trw <> '_RECOVER:accept'
        and v.m <> '{}'
      union all$q$, p_flow.id, p_flow.name, p_flow.version) else '' end
$$;

-- Returns the same for the two that read one flow's table: conditions that hold are pending, and the history
-- equals the state. States are compared as far back as the attributes are those of today. The version is also
-- read, because two attributes that exchanged their names look like those before; versions of earlier kernels
-- are distinguished by name and type only. The transaction that changed the attributes may write several
-- steps of an instance: one for each removed attribute, and that of the re-match.
create or replace function wedsql._invariant_flow_query(p_name text, p_flow wedsql.flow) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_since integer;
begin
  if p_name = 'I2' then
    return wedsql._guarded_query(p_flow) || format($q$
      select jsonb_build_object('flow', %2$L, 'wid', i.wid, 'holds', h.m, 'pending', p.tgids) as found
      from {i} i join %2$I.wed_flow w on w.wid = i.wid
      cross join lateral (select wed_match.f_%1$s(w.*) as m) h
      cross join lateral (select coalesce(array_agg(j.tgid), '{}') as tgids from wedsql.job_pool j
                          where j.wid = i.wid) p
      where i.flow_id = %1$s and i.status = 'R' and (not coalesce(%3$s = any (h.m), false)
        or exists (select 1 from wedsql.timer x
                   where x.wid = i.wid and x.tgid = %3$s and x.due_at > wedsql.now())) and exists (
        select 1 from wedsql.trig t where t.tgid = any (h.m) and t.tgid <> all (p.tgids) and not t.fire_once
          and t.due_attr is null and t.due_after is null
          and not exists (select 1 from wedsql.skipped s where s.wid = i.wid and s.tgid = t.tgid))
        and not exists (  -- a publication left it until the next change of the instance
          select 1 from wedsql.flow_version v join wedsql.wed_trace h on h.wid = i.wid and h.seq = i.seq
          where v.flow_id = %1$s and v.version = %4$s and v.held_back
            and (h.version < v.version or h.version = v.version and h.trw = '_REMATCH'))
        and not exists (  -- the re-match that follows the publication has not come to it
          select 1 from wedsql.rematch_run r where r.flow_id = %1$s and r.finished_at is null
            and (i.wid > r.position and i.wid <= r.last_wid or i.wid = any (r.skipped)))$q$,
          p_flow.id, p_flow.name, coalesce(p_flow.final_tgid::text, 'null::integer'), p_flow.version);
  end if;
  select greatest(coalesce(max(v.version) + 1, 0), (select max(c.version) from wedsql.flow_version c
                                                    where c.flow_id = p_flow.id and c.attrs_changed))
                                                    into v_since
  from wedsql.flow_version v
  where v.flow_id = p_flow.id
    and wedsql._attribute_types(v.definition) is distinct from wedsql._attr_types(p_flow.id);
  return format($q$
    select jsonb_build_object('flow', %2$L, 'wid', i.wid, 'seq', i.seq, 'rows', t.n, 'last', t.last) as found
    from {i} i left join %2$I.wed_flow w on w.wid = i.wid
    cross join lateral (
      select count(*) as n, max(x.seq) as last, bool_and(x.chained) as chained,
             (array_agg(x.state order by x.seq desc))[1] as state,
             (array_agg(x.status order by x.seq desc))[1] as status,
             (array_agg(x.version order by x.seq desc))[1] as version
      from (select h.seq, h.state, h.status, h.version, h.before is null or lag(h.state) over o is null
              or (lag(h.version) over o <> h.version or h.trw = '_REMATCH') and lag(h.version) over o < %3$s
              or h.trw = '_REMATCH' and h.version <= %3$s and lag(h.tx_at) over o = h.tx_at
              or lag(h.state) over o @> h.before
              and lag(h.state) over o - k.keys = h.state - k.keys as chained
            from wedsql.wed_trace h
            cross join lateral (select coalesce(array_agg(b), '{}') as keys
                                from jsonb_object_keys(coalesce(h.before, '{}')) b) k
            where h.wid = i.wid window o as (order by h.seq)) x) t
    where i.flow_id = %1$s
      and (w.wid is null or t.n <> i.seq or t.last <> i.seq or not t.chained or t.status <> i.status
      or t.version >= %3$s and t.state <> to_jsonb(w.*) - 'wid')$q$, p_flow.id, p_flow.name, v_since);
end $$;

-- Returns names and types of a definition's attributes, in the form of _attr_types.
create or replace function wedsql._attribute_types(p_definition jsonb) returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(jsonb_object_agg(a ->> 'name', coalesce(a ->> 'type', 'text')), '{}')
from jsonb_array_elements(p_definition -> 'attributes') a
$$;

-- Returns the instances that a bounded check reads: the newest p_limit, and as many of those that wait
-- longest.
create or replace function wedsql._invariant_sample(p_limit integer) returns integer[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select array(
  (select i.wid from wedsql.instance i order by i.wid desc limit p_limit)
  union
  (select o.wid from wedsql.flow f cross join lateral (
     select i.wid from wedsql.instance i where i.flow_id = f.id and i.status in ('R', 'E')
     order by i.status, i.wid limit p_limit) o
   order by o.wid limit p_limit))
$$;

-- Returns the query for how many violations a query finds and for the first examples of them, in the order of
-- instances. Its parameters are the instances, which p_all leaves out because all are checked, and how many
-- examples.
create or replace function wedsql._invariant_count(p_query text, p_all boolean, p_wids text, p_examples text)
returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select format($q$
    select count(*), coalesce(jsonb_agg(q.found order by q.n) filter (where q.n <= %s), '[]')
    from (select o.found, row_number() over (order by o.found -> 'wid', o.found) as n from (%s) o) q$q$,
  p_examples, replace(p_query, '{i}', case when p_all then 'wedsql.instance'
    else format('(select n.* from unnest(%s) u (w) join wedsql.instance n on n.wid = u.w)', p_wids) end))
$$;

-- Returns how many violations a query finds, and the first p_examples of them; p_wids null checks every
-- instance.
create or replace function wedsql._invariant(p_query text, p_wids integer[], p_examples integer)
returns table (found bigint, examples jsonb)
language plpgsql stable set search_path = pg_catalog, pg_temp set jit = off as $$
begin
  return query execute wedsql._invariant_count(p_query, p_wids is null, '$1', '$2') using p_wids, p_examples;
end $$;

-- Generates the function for the invariants that need no flow's own table: their queries are the same in each
-- check, so that a session plans them once.
create or replace function wedsql._generate_invariants() returns void
language plpgsql set search_path = pg_catalog, pg_temp set check_function_bodies = off as $$
begin
  execute format($q$create or replace function wedsql._fixed_violations(p_wids integer[], p_examples integer)
    returns table (name text, found bigint, examples jsonb, sentence text)
    language plpgsql stable set search_path = pg_catalog, pg_temp set jit = off as %L$q$,
    (select format(
       E'#variable_conflict use_column\nbegin\n  if p_wids is null then%s\n  else%s\n  end if;\nend',
       string_agg(q.all_of_them, '' order by q.name), string_agg(q.some, '' order by q.name))
     from (select n.name, wedsql._fixed_invariant(n.name, n.sentence, n.query, true) as all_of_them,
                  wedsql._fixed_invariant(n.name, n.sentence, n.query, false) as some
           from (select o.name, max(o.sentence) as sentence, string_agg(o.query, ' union all ') as query
                 from (select * from wedsql._invariant_queries()
                       union all
                       select k.key, k.value ->> 'sentence', k.value ->> 'query'
                       from jsonb_each(wedsql._call_invariants()) k) o (name, sentence, query)
                 group by o.name) n) q));
end $$;

-- Returns the statement that adds one invariant to the result of _fixed_violations.
create or replace function wedsql._fixed_invariant(p_name text, p_sentence text, p_query text, p_all boolean)
returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select format(E'\n    return query select %L, r.found, r.examples, %L from (%s) r (found, examples);', p_name,
  p_sentence, wedsql._invariant_count(p_query, p_all, 'p_wids', 'p_examples'))
$$;

-- Returns whether the table of a flow is there, which then stays until the end of the transaction: a snapshot
-- has flows that were dropped meanwhile.
-- Locks: the flow's table against its removal.
create or replace function wedsql._is_there(p_flow text) returns boolean
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  execute format('select from %I.wed_flow limit 0', p_flow);
  return true;
exception when undefined_table or invalid_schema_name then
  return false;
end $$;

-- Returns the invariants, each with the number of violations and the first p_examples, all as of one
-- moment; flows that are dropped meanwhile are left out. p_limit bounds the check to about twice as many
-- instances (the newest and those that wait longest), null means all.
create or replace function wedsql.violations(p_limit integer default null, p_examples integer default 10)
returns table (name text, found bigint, examples jsonb, sentence text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
#variable_conflict use_column
declare
  v_wids integer[];
begin
  if p_limit is not null then
    v_wids := wedsql._invariant_sample(greatest(p_limit, 0));
  end if;
  return query
  select v.name, v.found, v.examples, v.sentence from (
    select f.name, f.found, f.examples, f.sentence from wedsql._fixed_violations(v_wids, p_examples) f
    union all
    select s.name, r.found, r.examples, s.sentence
    from (values ('I2', 'Every condition that holds on a running instance has its job, unless a publication '
                  'left it for later or is still re-matching; a final state violates no integrity condition '
                  'of its version unless a person accepted it.'),
                 ('I3', 'The history has a row for each step, in order; folded it gives the present state.')
         ) s (name, sentence)
    cross join lateral wedsql._invariant(
      coalesce((select string_agg(wedsql._invariant_flow_query(s.name, f), ' union all ')
                from wedsql.flow f
                where exists (select from wedsql.instance i where i.flow_id = f.id)
                  and wedsql._is_there(f.name)),
               'select null::jsonb as found where false'), v_wids, p_examples) r) v
  order by length(v.name), v.name;
end $$;

-- Returns the invariants in short, with one example of each that is violated; p_limit as in violations.
create or replace function wedsql.invariants(p_limit integer default null)
returns table (name text, ok boolean, found bigint, example jsonb, sentence text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select o.name, o.found = 0, o.found, o.examples -> 0, o.sentence from wedsql.violations(p_limit, 1) o
order by length(o.name), o.name
$$;

-- Checks the invariants, keeps the result for other readers (wedsql.beat, 'invariants'), and returns the time
-- of the check. Returns null and does nothing while another session checks.
-- Locks: an advisory lock for the duration of the transaction.
create or replace function wedsql.check_invariants(
  p_limit integer default null, p_examples integer default 10)
returns timestamptz
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_begun timestamptz := clock_timestamp();
  v_at timestamptz := wedsql.now();
  v_findings jsonb;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('wedsql.check_invariants', 0)) then
    return null;
  end if;
  select jsonb_agg(jsonb_build_object('name', o.name, 'found', o.found, 'examples', o.examples)
                   order by length(o.name), o.name)
  into v_findings from wedsql.violations(p_limit, p_examples) o;
  insert into wedsql.beat as b (name, seen_at, detail)
  values ('invariants', v_at, jsonb_build_object('limit', p_limit, 'findings', v_findings,
    'seconds', extract(epoch from clock_timestamp() - v_begun)))
  on conflict (name) do update set seen_at = excluded.seen_at, detail = excluded.detail;
  return v_at;
end $$;

grant execute on function wedsql.invariants(integer), wedsql.violations(integer, integer) to wed_web,
  wed_monitor, wed_reaper;
grant execute on function wedsql.check_invariants(integer, integer) to wed_web, wed_reaper;
