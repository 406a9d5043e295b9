-- Goes on with jobs that start children: starts them, counts their ends, completes the job, ends the rest.

-- Returns what expressions about children read: a state with the counters of a job and, where p_states, the
-- values of the children that have ended or count as failed, by number; null for the others, and for those
-- that retention has removed. One that fails by the error of a child of its own has this as ended_by.
create or replace function wedsql._child_row(p_job wedsql.child_job, p_state jsonb, p_child text,
  p_states boolean) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_states jsonb;
begin
  if p_states and to_regclass(format('%I.wed_flow', p_child)) is not null then
    execute format($q$
      select jsonb_agg(case c.state
        when 'C' then to_jsonb(w.*) - 'wid'
        when 'X' then to_jsonb(w.*) - 'wid'
          || jsonb_strip_nulls(jsonb_build_object('ended_by', wedsql._error_below(c.wid)))
        end order by n.number)
      from generate_series(1, $3) n (number)
      left join wedsql.child c on c.parent_wid = $1 and c.job_id = $2 and c.number = n.number
      left join %I.wed_flow w on w.wid = c.wid$q$, p_child) into v_states
      using p_job.parent_wid, p_job.job_id, p_job.total;
  end if;
  return p_state || jsonb_build_object('children', p_job.total, 'children_done', p_job.done,
    'children_failed', p_job.failed, 'children_states', v_states);
end $$;

-- Counts the children of a job that have ended since the last time, and returns the job. Two statements: the
-- second sees each child as it is while its row is locked, so that no later end is lost. An exception that is
-- waited for may count as failed further up.
-- Locks: rows of wedsql.child, skipping locked ones; as _note_exception.
-- Raises: as _note_exception.
create or replace function wedsql._count_ends(p_job wedsql.child_job, p_trig wedsql.trig)
  returns wedsql.child_job
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_wids integer[] := array(
    select c.wid from wedsql.child c
    where c.parent_wid = p_job.parent_wid and c.job_id = p_job.job_id and c.state = 'E'
    order by c.wid for update skip locked);
  v_waits boolean;
begin
  if v_wids = '{}' then
    return p_job;
  end if;
  with ended as (
    update wedsql.child c
    set state = case when i.wid is null or i.status in ('F', 'C', 'A') then 'C'
                     when wedsql._child_fails(i.wid, i.status, p_trig) then 'X' else 'O' end
    from unnest(v_wids) u (wid) left join wedsql.instance i on i.wid = u.wid
    where c.wid = u.wid
    returning c.state, i.status),
  e as (
    select count(*) filter (where n.status = 'F') as done,
           count(*) filter (where n.state in ('C', 'X') and n.status is distinct from 'F') as failed,
           bool_or(n.state = 'O' and n.status = 'E') as waits
    from ended n)
  update wedsql.child_job g set done = g.done + e.done, failed = g.failed + e.failed
  from e
  where g.parent_wid = p_job.parent_wid and g.job_id = p_job.job_id
  returning g.done, g.failed, e.waits into p_job.done, p_job.failed, v_waits;
  if v_waits then
    perform wedsql._note_exception(p_job.parent_wid);
  end if;
  return p_job;
end $$;

-- Starts the next children of a job, up to p_max, and returns the job.
-- Locks: as _start_children; the caller holds the row of wedsql.child_job.
-- Raises: as _start_children.
create or replace function wedsql._start_more(p_job wedsql.child_job, p_pending wedsql.job_pool,
  p_trig wedsql.trig, p_max integer) returns wedsql.child_job
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_to integer;
begin
  p_job := wedsql._with_total(p_job, p_pending, p_trig);
  v_to := least(p_job.total, p_job.started + p_max);
  if v_to > p_job.started then
    perform wedsql._start_children(p_pending, p_trig, p_job.total, p_job.started + 1, v_to);
    p_job.started := v_to;
    update wedsql.child_job c set started = v_to
    where c.parent_wid = p_job.parent_wid and c.job_id = p_job.job_id;
  end if;
  return p_job;
end $$;

-- Returns a job whose number of children is computed, from the state in which it was fired.
-- Locks: none; the caller holds its row.
-- Raises: WD580; as _child_values.
create or replace function wedsql._with_total(p_job wedsql.child_job, p_pending wedsql.job_pool,
  p_trig wedsql.trig) returns wedsql.child_job
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_job.total is null then
    p_job.total := case when p_trig.child_count is null then 1
                   else wedsql._child_count(p_trig.flow_id, p_trig.child_count,
                                            wedsql._payload(p_pending)) end;
    update wedsql.child_job c set total = p_job.total
    where c.parent_wid = p_job.parent_wid and c.job_id = p_job.job_id;
  end if;
  return p_job;
end $$;

-- Completes a job if enough of its children have ended, and returns whether it did; null where another
-- session works on the parent.
-- Locks: the parent, skipping a locked one; its jobs and timers, the trace; the caller holds the row of
-- wedsql.child_job.
-- Raises: as a worker's result; as _child_values.
create or replace function wedsql._join_children(p_flow wedsql.flow, p_job wedsql.child_job,
  p_trig wedsql.trig) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_state jsonb;
  v_pending wedsql.job_pool;
begin
  execute format('select to_jsonb(w.*) - ''wid'' from %I.wed_flow w where w.wid = $1 '
                 'for no key update skip locked', p_flow.name) into v_state using p_job.parent_wid;
  select j.* into v_pending from wedsql.job_pool j join wedsql.instance i on i.wid = j.wid
  where j.wid = p_job.parent_wid and j.id = p_job.job_id and j.state = 'P' and i.status in ('R', 'E');
  if v_state is null then
    return null;
  elsif v_pending.id is null or p_job.done + p_job.failed < (case
      when p_trig.child_wait is null then p_job.total
      else least(p_job.total, wedsql._child_count(p_flow.id, p_trig.child_wait,
        wedsql._child_row(p_job, v_state, p_trig.child, p_trig.child_wait ~ 'children_states'))) end) then
    return false;
  end if;
  perform wedsql._deliver(p_flow, v_pending, (wedsql._child_values(p_flow.id, p_trig.child_result,
    wedsql._child_row(p_job, v_state, p_trig.child,
                      array_to_string(p_trig.child_result, ' ') ~ 'children_states'), 1, 1))[1], 'kernel');
  return true;
end $$;

-- Returns a job as one that has ended: completed, whatever by, or withdrawn.
-- Locks: none; the caller holds its row.
create or replace function wedsql._end_children(p_job wedsql.child_job, p_rest text, p_now timestamptz)
  returns wedsql.child_job
language sql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
update wedsql.child_job c
set ended_at = p_now,
    rest = case when not exists (select 1 from wedsql.wed_trace t
                                 where t.wid = c.parent_wid and t.job_id = c.job_id) then 'cancel'
                when p_rest = 'cancel' then 'cancel' end
where c.parent_wid = p_job.parent_wid and c.job_id = p_job.job_id
returning c.*
$$;

-- Does for a job what is next, and returns when the reaper goes on with it, null for not before something
-- happens. Where the rest is cancelled when enough have ended, no more children are started than before that.
-- Locks: as _start_more, _join_children, _pass_on; the caller holds the row of wedsql.child_job.
-- Raises: as they do.
create or replace function wedsql._advance_children(p_flow wedsql.flow, p_job wedsql.child_job,
  p_trig wedsql.trig, p_max integer, p_now timestamptz) returns timestamptz
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_status "char" := (select i.status from wedsql.instance i where i.wid = p_job.parent_wid);
  v_pending wedsql.job_pool;
  v_joined boolean;
  v_stops boolean := p_trig.child_wait is not null and p_trig.child_rest = 'cancel' and p_job.started > 0;
begin
  select * into v_pending from wedsql.job_pool j where j.wid = p_job.parent_wid and j.id = p_job.job_id;
  if p_job.ended_at is null and v_pending.id is null then
    p_job := wedsql._end_children(p_job, p_trig.child_rest, p_now);
  elsif p_job.ended_at is null and v_status in ('S', 'X') then
    return wedsql._pass_on(p_job, 'suspend', p_max, p_now);
  elsif p_job.ended_at is null and v_pending.state = 'P' then
    if v_stops is not true then
      p_job := wedsql._start_more(p_job, v_pending, p_trig, p_max);
      if p_job.started < p_job.total then
        return p_now;
      end if;
    end if;
    v_joined := wedsql._join_children(p_flow, p_job, p_trig);
    if v_joined is null then
      return p_now + interval '0.1 second';
    elsif v_joined then
      p_job := wedsql._end_children(p_job, p_trig.child_rest, p_now);
    elsif p_job.started < p_job.total then
      perform wedsql._start_more(p_job, v_pending, p_trig, p_max);
      return p_now;
    end if;
  end if;
  if p_job.ended_at is null then
    return wedsql._pass_on(p_job, 'resume', p_max, p_now);
  end if;
  return wedsql._end_rest(p_flow, p_job, p_max, p_now);
end $$;

-- Cancels or undoes the children that are open when their job has ended, and returns when the reaper goes on.
-- After the last one that is undone, the undoing of the parent goes on.
-- Locks: as _pass_on; the parent, skipping a locked one, and as _go_on.
create or replace function wedsql._end_rest(p_flow wedsql.flow, p_job wedsql.child_job, p_max integer,
  p_now timestamptz) returns timestamptz
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_next timestamptz;
  v_free integer;
begin
  if p_job.rest is null then
    return null;
  end if;
  v_next := wedsql._pass_on(p_job, p_job.rest, p_max, p_now);
  if v_next is not null then
    return v_next;
  elsif p_job.rest = 'abort' then
    execute format('select w.wid from %I.wed_flow w where w.wid = $1 for no key update skip locked',
                   p_flow.name) into v_free using p_job.parent_wid;
    if v_free is null then
      return p_now + interval '0.1 second';
    end if;
  end if;
  update wedsql.child_job c set rest = null
  where c.parent_wid = p_job.parent_wid and c.job_id = p_job.job_id;
  if p_job.rest = 'abort' and exists (
    select 1 from wedsql.recovery r where r.wid = p_job.parent_wid and r.job_id is null) then
    perform wedsql._go_on(p_flow, p_job.parent_wid, p_now);
  end if;
  return null;
end $$;

-- Parks a job whose children cannot be started or whose result cannot be written, which makes its instance an
-- exception (CHILDREN); retrying the job goes on with it. A final state while other work is pending is tried
-- again, as a worker would.
-- Locks: the instance, without waiting for it; its job, the trace.
-- Raises: 55P03 while another session works on the instance.
create or replace function wedsql._park_children(p_flow wedsql.flow, p_job wedsql.child_job, p_why wedsql.why,
  p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_tgid integer;
begin
  execute format('select 1 from %I.wed_flow w where w.wid = $1 for no key update nowait', p_flow.name)
    using p_job.parent_wid;
  update wedsql.job_pool j set last_state = p_why.code, last_error = left(p_why.message, 2000)
  where j.wid = p_job.parent_wid and j.id = p_job.job_id and j.state = 'P' returning j.tgid into v_tgid;
  if v_tgid is null then
    return;
  elsif p_why.code = 'WD103' then
    perform wedsql._final_blocked(p_flow, p_job.parent_wid, 'kernel', p_now);
  else
    perform wedsql._park_as_exception(p_flow, p_job.parent_wid, array[v_tgid], 'CHILDREN', 'kernel',
                                      p_why.message, p_now);
  end if;
end $$;

-- Does what is next for one job that starts children. Returns false where another session does it, or keeps a
-- flow's table.
-- Locks: the tables of both flows against definitions that are being changed; the row of wedsql.child_job,
-- skipping a locked one; as _advance_children.
create or replace function wedsql._continue_job(p_wid integer, p_job_id bigint, p_max integer,
  p_now timestamptz) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_job wedsql.child_job;
  v_flow wedsql.flow;
  v_trig wedsql.trig;
  v_next timestamptz;
  v_why wedsql.why;
begin
  select f.* into v_flow from wedsql.child_job c join wedsql.flow f on f.id = c.flow_id
  where c.parent_wid = p_wid and c.job_id = p_job_id;
  begin
    execute format('lock table %I.wed_flow in row exclusive mode nowait', v_flow.name);
    select t.* into v_trig from wedsql.child_job c join wedsql.trig t on t.tgid = c.tgid
    where c.parent_wid = p_wid and c.job_id = p_job_id;
    if exists (select 1 from wedsql.flow f where f.name = v_trig.child) then
      execute format('lock table %I.wed_flow in row exclusive mode nowait', v_trig.child);
    end if;
  exception when lock_not_available or undefined_table then
    update wedsql.child_job c set due_at = p_now + interval '1 second'  -- and the next ones have their turn
    where c.ctid = (select o.ctid from wedsql.child_job o
                    where o.parent_wid = p_wid and o.job_id = p_job_id for update skip locked);
    return false;
  end;
  select * into v_job from wedsql.child_job c where c.parent_wid = p_wid and c.job_id = p_job_id
  for update skip locked;
  if not found then
    return false;
  end if;
  begin
    v_job := wedsql._count_ends(v_job, v_trig);
  exception when lock_not_available then
    return false;  -- they are counted when the other session is done
  end;
  begin
    v_next := wedsql._advance_children(v_flow, v_job, v_trig, p_max, p_now);
    perform wedsql._no_trouble(v_flow.id, 'children', p_wid, p_job_id);
  exception when query_canceled or others then
    get stacked diagnostics v_why.code = returned_sqlstate, v_why.message = message_text;
    v_next := wedsql._children_failed(v_flow, v_job, v_why, p_now);
  end;
  update wedsql.child_job c set due_at = v_next where c.parent_wid = p_wid and c.job_id = p_job_id;
  return true;
end $$;

-- Records that going on with a job failed, and returns when it is tried again; an error that would come again
-- parks the job. A job that cannot be parked now is tried again, and stops no other.
-- Locks: as _park_children.
create or replace function wedsql._children_failed(p_flow wedsql.flow, p_job wedsql.child_job,
  p_why wedsql.why, p_now timestamptz) returns timestamptz
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_parked boolean := false;
begin
  if p_why.code !~ '^(40|53|55|57|58|XX)' and p_job.ended_at is null then
    begin
      perform wedsql._park_children(p_flow, p_job, p_why, p_now);
      v_parked := p_why.code <> 'WD103';
    exception when others then
      get stacked diagnostics p_why.code = returned_sqlstate, p_why.message = message_text;
    end;
  end if;
  if v_parked then
    perform wedsql._no_trouble(p_flow.id, 'children', p_job.parent_wid, p_job.job_id);
    return null;
  end if;
  perform wedsql._note_trouble(p_flow.id, 'children', p_job.parent_wid, p_job.job_id, p_why.code,
                               p_why.message, p_now);
  return (select t.retry_at from wedsql.trouble t
          where t.flow_id = p_flow.id and t.kind = 'children' and t.wid = p_job.parent_wid
            and t.item = p_job.job_id);
end $$;

-- Does what is next for one job that starts children, of those for which something is due: starts up to p_max
-- children, counts those that have ended, completes the job, or suspends, resumes, cancels or undoes up to
-- p_max of them. Returns the number of the parent, null where nothing is due. Nothing waits longer than five
-- minutes: what is due later was noted before the clock was set back, and is due now.
-- Locks: as _continue_job.
create or replace function wedsql.continue_children(p_max integer default 500) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
set lock_timeout = '2s' as $$
declare
  v_now timestamptz := wedsql.now();
  v_job record;
begin
  for v_job in
    (select c.parent_wid, c.job_id from wedsql.child_job c where c.due_at <= v_now order by c.due_at limit 50)
    union
    (select c.parent_wid, c.job_id from wedsql.child_job c
     where c.due_at > v_now + interval '5 minutes' limit 50)
    union
    select e.parent_wid, e.job_id from (
      select c.parent_wid, c.job_id from wedsql.child c
      where c.state = 'E' order by c.parent_wid, c.job_id limit 5000) e
  loop
    begin
      if wedsql._continue_job(v_job.parent_wid, v_job.job_id, p_max, v_now) then
        return v_job.parent_wid;
      end if;
    exception when query_canceled or others then
      perform wedsql._postpone_job(v_job.parent_wid, v_job.job_id, sqlstate, sqlerrm, v_now);
      if sqlstate = '57014' then
        return v_job.parent_wid;  -- what is next has a time limit of its own
      end if;
    end;
  end loop;
  return null;
end $$;

-- Records that the next step of a job that starts children failed as a whole, and notes when it is tried
-- again. Of a flow that was dropped meanwhile nothing is recorded.
-- Locks: the row of wedsql.child_job, skipping a locked one.
create or replace function wedsql._postpone_job(p_wid integer, p_job_id bigint, p_state text, p_message text,
  p_now timestamptz) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_flow integer := (select c.flow_id from wedsql.child_job c
                     where c.parent_wid = p_wid and c.job_id = p_job_id for update skip locked);
begin
  if v_flow is not null then
    perform wedsql._note_trouble(v_flow, 'children', p_wid, p_job_id, p_state, p_message, p_now);
    update wedsql.child_job c set due_at = t.retry_at
    from wedsql.trouble t
    where c.parent_wid = p_wid and c.job_id = p_job_id
      and t.flow_id = v_flow and t.kind = 'children' and t.wid = p_wid and t.item = p_job_id;
  end if;
end $$;

grant execute on function wedsql.continue_children(integer) to wed_reaper;
