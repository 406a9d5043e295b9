-- What happens to a parent, passed on to its children.

-- Performs an operation of the kernel on a child: suspend, resume, cancel or abort. Approvals are a matter of
-- the parent's operation. Returns whether it did; not while another session works on the child.
-- Locks: the child, skipping a locked one; as the operation.
-- Raises: WD111, WD203 for an abort.
create or replace function wedsql._pass_down(p_wid integer, p_operation text, p_reason text) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_flow text := (select f.name from wedsql.instance i join wedsql.flow f on f.id = i.flow_id
                  where i.wid = p_wid);
  v_free integer;
begin
  execute format('select w.wid from %I.wed_flow w where w.wid = $1 for no key update skip locked', v_flow)
    into v_free using p_wid;
  if v_free is null then
    return false;
  end if;
  insert into wedsql.applying (wid, operation, approvals) values (p_wid, p_operation, 32767);
  case p_operation
    when 'suspend' then perform wedsql.suspend(p_wid, p_reason, 'kernel');
    when 'resume' then perform wedsql.resume(p_wid, p_reason, 'kernel');
    when 'cancel' then perform wedsql.cancel(p_wid, p_reason, 'kernel');
    else perform wedsql.abort(p_wid, p_reason, 'kernel');
  end case;
  delete from wedsql.applying a where a.wid = p_wid;
  return true;
end $$;

-- Performs an operation on up to p_max of these children, those that were started last first, and returns
-- whether all of them had their turn. One that cannot be undone is recorded and tried again later.
-- Locks: as _pass_down; their rows of wedsql.child.
create or replace function wedsql._pass_to(p_job wedsql.child_job, p_operation text, p_wids integer[],
  p_now timestamptz) returns boolean
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_wid integer;
  v_all boolean := true;
begin
  foreach v_wid in array p_wids loop
    begin
      if not wedsql._pass_down(v_wid, p_operation, case p_operation
          when 'suspend' then 'Its parent was suspended.' when 'resume' then 'Its parent was resumed.'
          when 'cancel' then 'The job that started it has ended.' else 'Steps of its parent were undone.' end)
      then
        v_all := false;
      elsif p_operation in ('suspend', 'resume') then
        update wedsql.child c set held = p_operation = 'suspend' where c.wid = v_wid;
      end if;
      perform wedsql._no_trouble(p_job.flow_id, 'children', v_wid, 0);
    exception when query_canceled or others then
      v_all := false;
      perform wedsql._note_trouble(p_job.flow_id, 'children', v_wid, 0, sqlstate, sqlerrm, p_now);
      exit when sqlstate = '57014';
    end;
  end loop;
  return v_all;
end $$;

-- Returns the open children of a job on which an operation is still to be performed, those that were started
-- last first, at most p_max.
create or replace function wedsql._to_pass(p_job wedsql.child_job, p_operation text, p_max integer,
  p_now timestamptz) returns integer[]
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select array(
  select c.wid from wedsql.child c join wedsql.instance i on i.wid = c.wid
  where c.parent_wid = p_job.parent_wid and c.job_id = p_job.job_id and c.state in ('O', 'X')
    and case p_operation when 'suspend' then not c.held and i.status in ('R', 'E')
                         when 'resume' then c.held and i.status = 'S'
                         else i.status in ('R', 'E', 'S') end
    and wedsql._may_try(p_job.flow_id, 'children', c.wid, 0, p_now)
  order by c.number desc limit p_max)
$$;

-- Passes an operation on to children of a job and returns when the reaper goes on with it: now while there
-- may be more, later where one could not be reached, null when all had it.
-- Locks: as _pass_to.
create or replace function wedsql._pass_on(p_job wedsql.child_job, p_operation text, p_max integer,
  p_now timestamptz) returns timestamptz
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_wids integer[] := wedsql._to_pass(p_job, p_operation, p_max, p_now);
begin
  if not wedsql._pass_to(p_job, p_operation, v_wids, p_now) then
    return p_now + interval '1 second';
  elsif v_wids <> '{}' then
    return p_now;
  end if;
  return (select p_now + interval '5 seconds' from wedsql.child c
          where c.parent_wid = p_job.parent_wid and c.job_id = p_job.job_id and c.state in ('O', 'X')
            and p_operation in ('cancel', 'abort') limit 1);
end $$;
