-- Starting children.

-- Returns the values of assignments over a row of typed values, once for each number of a child.
-- p_columns: names and types of the row; p_values: the rendered expressions with names. They are computed by
-- the role without rights.
-- Raises: what PostgreSQL raises for the expressions.
create or replace function wed_match.child_values(p_columns text, p_values text, p_row jsonb, p_from integer,
  p_to integer) returns jsonb[]
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
set datestyle = 'ISO, YMD' set intervalstyle = 'postgres'
set extra_float_digits = 1 set transform_null_equals = off set array_nulls = on
set bytea_output = hex set quote_all_identifiers = off as $$
declare
  v_found jsonb[];
begin
  execute format('select array_agg(to_jsonb(v.*) order by r.child_number) from (
      select s.*, n.child_number from jsonb_to_record($1) as s (%s)
      cross join generate_series($2, $3) n (child_number) offset 0) r
    cross join lateral (select %s) v', p_columns, p_values) into v_found using p_row, p_from, p_to;
  return v_found;
end $$;

-- Returns what the assignments of a trigger give for its children p_from to p_to, over a state of its
-- instance with counters.
-- Raises: WD005 where an expression no longer fits the attributes; WD580 where one cannot be computed.
create or replace function wedsql._child_values(p_flow integer, p_lines text[], p_row jsonb, p_from integer,
  p_to integer) returns jsonb[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_types jsonb := wedsql._attr_types(p_flow) || wedsql._child_counters();
  v_values text;
begin
  select string_agg(format('(%s) as %I', wedsql.qualify(t.tokens, 1, cardinality(t.tokens)), l.name), ', '
                    order by l.place)
  into v_values
  from wedsql._child_lines(p_lines) l
  cross join lateral (select wedsql.parse(l.expression, v_types)) t (tokens);
  if v_values is null then
    return array_fill('{}'::jsonb, array[p_to - p_from + 1]);
  end if;
  return wed_match.child_values(
    (select string_agg(format('%I %s', a.key, wedsql.sql_type(a.value)), ', ')
     from jsonb_each_text(v_types - 'child_number') a), v_values, p_row, p_from, p_to);
exception when data_exception or feature_not_supported or program_limit_exceeded then
  perform wedsql._raise('WD580', 'An expression about children cannot be computed on this state: {problem}.',
    'Change the attributes that it reads, and retry the job.',
    jsonb_build_object('sqlstate', sqlstate, 'problem', sqlerrm,
                       'expressions', (select jsonb_agg(left(l, 200)) from unnest(p_lines) l)));
end $$;

-- Returns the value of an expression of a trigger that is a whole number.
-- Raises: WD580 where it is null or not within 0 and the limit; as _child_values.
create or replace function wedsql._child_count(p_flow integer, p_expression text, p_row jsonb) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_value text := (wedsql._child_values(p_flow, array['n = ' || p_expression], p_row, 1, 1))[1] ->> 'n';
begin
  if (round(v_value::numeric) between 0 and wedsql.child_limit()) is not true then
    perform wedsql._raise('WD580', 'The number of children is {number}; it must be from 0 to {limit}.',
      'Change the attributes from which "{expression}" computes it, and retry the job.',
      jsonb_build_object('number', coalesce(left(v_value, 80), 'null'), 'limit', wedsql.child_limit(),
                         'expression', left(p_expression, 200)));
  end if;
  return round(v_value::numeric);
end $$;

-- Returns how many levels an instance is below one without a parent, and that one.
create or replace function wedsql._place_in_tree(p_wid integer, out depth integer, out root integer)
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select coalesce(max(c.depth), 0), coalesce(max(c.root_wid), p_wid) from wedsql.child c where c.wid = p_wid
$$;

-- Returns the keys of the children p_from to p_to of a job, which name the key or the number of the parent,
-- the transition, the step that fired it and the number of the child.
create or replace function wedsql._child_keys(p_job wedsql.job_pool, p_from integer, p_to integer)
  returns text[]
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
select array_agg(case when octet_length(k.key) <= 480 then k.key else p_job.wid || '/' || p_job.id end
                 || '.' || n order by n)
from (select concat_ws('/', coalesce(i.key, i.wid::text), p_job.trname, p_job.cause_seq) as key
      from wedsql.instance i where i.wid = p_job.wid) k
cross join generate_series(p_from, p_to) n
$$;

-- Checks how many levels children of an instance would be below the first one.
-- Raises: WD580.
create or replace function wedsql._check_children(p_depth integer, p_wid integer) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if p_depth > wedsql.child_depth_limit() then
    perform wedsql._raise('WD580',
      'Instance {instance} is {depth} levels below the first one; {limit} are the limit for children.',
      'Check where the flow ends its recursion.', jsonb_build_object('instance', p_wid,
        'depth', p_depth - 1, 'limit', wedsql.child_depth_limit()));
  end if;
end $$;

-- Starts the children p_from to p_to of a job: all of them, or none. An instance that has the key of a child
-- already is not one.
-- Locks: their flow's table against a definition that is being changed.
-- Raises: WD001, WD580; as a start.
create or replace function wedsql._start_children(p_job wedsql.job_pool, p_trig wedsql.trig, p_total integer,
  p_from integer, p_to integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
declare
  v_child wedsql.flow := wedsql._flow(p_trig.child);
  v_place record := wedsql._place_in_tree(p_job.wid);
  v_keys text[] := wedsql._child_keys(p_job, p_from, p_to);
  v_new record;
begin
  perform wedsql._check_children(v_place.depth + 1, p_job.wid);
  select array_agg(s.wid order by s.ord) as wids, array_agg(s.status order by s.ord) as statuses,
         min(s.ord) filter (where s.sqlstate is not null) as bad,
         array_agg(row(s.sqlstate, s.message, s.hint, s.detail)::wedsql.why order by s.ord)
           filter (where s.sqlstate is not null) as whys,
         min(v_keys[s.ord]) filter (where s.sqlstate is null and s.detail is not null) as taken
  into v_new
  from wedsql.start_many(v_child.name, wedsql._child_values(p_job.flow_id, p_trig.child_set,
    wedsql._payload(p_job) || jsonb_build_object('children', p_total), p_from, p_to), 'kernel', v_keys) s;
  if v_new.bad is not null then
    perform wedsql._raise(v_new.whys[1].code, 'Child {number} was not started: {problem}',
      'Change the state or the rule, and retry the job.',
      jsonb_build_object('number', p_from + v_new.bad - 1, 'problem', v_new.whys[1].message));
  elsif v_new.taken is not null then
    perform wedsql._raise('WD580', 'Flow "{flow}" has an instance with the key "{key}" already.',
      'Children are started with keys of this form.',
      jsonb_build_object('flow', v_child.name, 'key', left(v_new.taken, 80)));
  end if;
  insert into wedsql.child (wid, parent_wid, job_id, number, root_wid, depth, state)
  select u.wid, p_job.wid, p_job.id, p_from + u.n::integer - 1, v_place.root, v_place.depth + 1,
         case u.status when 'R' then 'O' else 'E' end::"char"
  from unnest(v_new.wids, v_new.statuses) with ordinality u (wid, status, n);
  update wedsql.instance i set parent_wid = p_job.wid where i.wid = any (v_new.wids);
end $$;
