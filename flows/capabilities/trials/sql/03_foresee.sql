-- What publishing a definition would do to each living instance, without locks: the conditions by the
-- evaluator, and what follows by the rules of the re-match (50_work/15_rematch.sql) and of settling.
do $$
begin
  if to_regtype('wedsql.plan') is null then
    -- A definition prepared for comparison with the published one. rules: its triggers as rows, those that
    -- are published with their numbers, new ones with -1, -2 ... by place; before, after: the conditions that
    -- are evaluated, numbered by the same numbers (tgid); withdraw, later, keep_exceptions: what the
    -- publication chooses (50_work/14_choices.sql).
    create type wedsql.plan as (flow wedsql.flow, rules wedsql.trig[], before wedsql.condition[],
      after wedsql.condition[], types_before jsonb, types_after jsonb, changed integer[], removed integer[],
      every_instance boolean, sources jsonb, withdraw integer[], later integer[],
      keep_exceptions boolean);
  end if;
end $$;

-- Prepares the comparison. Only conditions that may change what happens are evaluated: those of triggers that
-- are new or differ in more than texts for people, and the final one; with p_every all of them. In a flow
-- with options beyond the paper's the others may act as well, and so may those that the last publication held
-- back, and those that a final state suppressed, which is none under another final condition.
-- Raises: WD001, WD005, WD006, WD009.
create or replace function wedsql._plan(p_flow text, p_definition jsonb, p_every boolean,
  p_choices jsonb default '{}') returns wedsql.plan
language plpgsql volatile set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_plan wedsql.plan;
  v_old wedsql.flow := wedsql._flow(p_flow);
  v_numbers integer[];
  v_compiled wedsql.condition[];
  v_evaluated integer[];
begin
  perform wedsql._check_definition(p_definition);
  perform wedsql._need_writable();
  perform wedsql._check_choices(p_choices, p_definition);
  v_numbers := wedsql._trigger_numbers(v_old, p_definition);
  v_compiled := array(select c from wedsql._compile(v_old.id, p_definition) c order by c.n);
  v_plan.types_before := wedsql._attr_types(v_old.id);
  v_plan.types_after := wedsql._given_types(p_definition);
  v_plan.sources := (select coalesce(jsonb_object_agg((o.given).aname, jsonb_build_object(
      'from', (o.published).aname, 'default', (o.given).adv)), '{}') from wedsql._origins(v_old.id,
        p_definition) o);
  v_plan.rules := array(
    select wedsql._numbered_rule(wedsql._trigger_row(p_definition -> 'triggers' -> (c.n - 1),
      wedsql._option_list('trig'), case when p_definition ? 'default_timeout'
        then p_definition -> 'default_timeout' else to_jsonb(v_old.default_timeout) end),
      coalesce(v_numbers[c.n], - c.n), v_old.id, c)
    from unnest(v_compiled) c order by c.n);
  v_plan.withdraw := wedsql._chosen_triggers(p_choices, 'withdraw', array(
    select r.tgid from unnest(v_plan.rules) with ordinality r order by r.ordinality));
  v_plan.later := wedsql._chosen_triggers(p_choices, 'later', array(
    select r.tgid from unnest(v_plan.rules) with ordinality r order by r.ordinality));
  v_plan.keep_exceptions := coalesce((p_choices ->> 'keep_exceptions')::boolean, false);
  v_plan.removed := array(select t.tgid from wedsql.trig t where t.flow_id = v_old.id and t.tgid <> all (
    select r.tgid from unnest(v_plan.rules) r) order by t.tgid);
  v_plan.changed := array(
    select r.tgid from unnest(v_plan.rules) r left join wedsql.trig t on t.tgid = r.tgid
    where (t.canonical, t.enabled, t.cfinal, t.integrity, t.fire_once, t.revalidate, t.due_attr, t.due_after,
           t.timeout, t.priority, t.lock)
          is distinct from (r.canonical, r.enabled, r.cfinal, r.integrity, r.fire_once, r.revalidate,
            r.due_attr, r.due_after, r.timeout, r.priority, r.lock)
       or exists (select 1 from unnest(r.reads) a
         where v_plan.types_before -> (v_plan.sources -> a ->> 'from')
                  is distinct from v_plan.types_after -> a or v_plan.sources -> a ->> 'from' <> a)
    order by r.tgid);
  v_plan.flow := wedsql._flow_of(v_old, p_definition, v_plan.rules);
  v_plan.every_instance := exists (select 1 from wedsql.attr a left join wedsql._origins(v_old.id,
    p_definition) o
      on (o.published).aid = a.aid where a.flow_id = v_old.id and (a.aname, a.type)
        is distinct from ((o.given).aname, coalesce(nullif((o.given).type, ''), a.type)))
    or exists (select 1 from wedsql._origins(v_old.id, p_definition) o where (o.published).aid is null);
  v_evaluated := array(select r.tgid from unnest(v_plan.rules) r
    where p_every or not (v_plan.flow).plain or not v_old.plain or r.cfinal or r.integrity is not null
      or v_old.final_tgid is distinct from (v_plan.flow).final_tgid
      or v_old.final_tgid = any (v_plan.changed)
      or r.tgid = any (v_plan.changed || v_plan.withdraw || v_plan.later)
      or exists (select 1 from wedsql.flow_version v
                 where v.flow_id = v_old.id and v.version = v_old.version and v.held_back));
  v_plan.after := array(select row(1, r.tgid, r.canonical, r.reads, null)::wedsql.condition
    from unnest(v_plan.rules) r where r.tgid = any (v_evaluated) and r.enabled order by r.tgid);
  v_plan.before := array(select row(1, t.tgid, t.canonical, t.reads, null)::wedsql.condition
    from wedsql.trig t
    where t.flow_id = v_old.id and t.enabled and (t.tgid = any (v_evaluated) or t.tgid = any (v_plan.removed))
    order by t.tgid);
  return v_plan;
end $$;

-- Returns a trigger of a definition as the row that it would be.
create or replace function wedsql._numbered_rule(p_trig wedsql.trig, p_tgid integer, p_flow integer,
  p_condition wedsql.condition) returns wedsql.trig
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  p_trig := wedsql._with_names(p_trig);
  p_trig.tgid := p_tgid;
  p_trig.flow_id := p_flow;
  p_trig.canonical := p_condition.canonical;
  p_trig.reads := p_condition.reads;
  return p_trig;
end $$;

-- Returns the flow's row as it would be.
create or replace function wedsql._flow_of(p_flow wedsql.flow, p_definition jsonb, p_rules wedsql.trig[])
  returns wedsql.flow
language plpgsql stable set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
begin
  p_flow := jsonb_populate_record(p_flow, (select coalesce(jsonb_object_agg(o.col, p_definition -> o.name),
    '{}')
    from wedsql._options('flow') o
    where p_definition ? o.name and (p_definition -> o.name <> 'null' or not o.required)));
  select max(t.tgid) filter (where t.cfinal and t.enabled),
         coalesce(bool_and(wedsql._is_plain(t)), true)
  into p_flow.final_tgid, p_flow.plain from unnest(p_rules) t;
  return p_flow;
end $$;

-- Returns the expression for the attributes that are read, of the row w of a flow's table, as one JSON
-- object.
create or replace function wedsql._projection(p_reads text[], p_types jsonb, p_sources jsonb) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(string_agg(p.part, ' || ' order by p.block), '''{}''::jsonb') from (
  select r.block, format('jsonb_build_object(%s)', string_agg(format('%L, %s', r.name, case
      when p_sources is null then format('w.%I', r.name)
      when p_sources -> r.name ->> 'from' is not null then format('w.%I', p_sources -> r.name ->> 'from')
      else format('%L::%s', p_sources -> r.name ->> 'default', wedsql.sql_type(p_types ->> r.name)) end),
        ', ')) as part
  from (select u.name, (row_number() over (order by u.name) - 1) / 40 as block
        from (select distinct unnest(p_reads) as name) u) r group by r.block) p
$$;

-- Returns for each living instance the values of the conditions before and after, a letter each, and, where
-- p_state, what the conditions and due times read of its state. Instances are read in blocks of bounded size;
-- all in one snapshot, that of the calling statement. p_of, p_part: only one of p_of instances; it stops at
-- p_until. p_final: final instances too.
create or replace function wedsql._living(p_plan wedsql.plan, p_of integer, p_until timestamptz,
  p_state boolean, p_final boolean)
  returns table (wid integer, status "char", before text, after text, state jsonb)
language plpgsql stable set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres'
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set jit = off as $$
declare
  v_query text;
  v_size integer := 200;
  v_last integer;
  v_status "char";
  v_part record;
  v_together boolean := not exists (
    select 1 from unnest(p_plan.before || p_plan.after) c cross join lateral unnest(c.reads) r
    where p_plan.sources -> r ->> 'from' is distinct from r
       or p_plan.types_before -> r is distinct from p_plan.types_after -> r);
  v_before text[] := array(select c.canonical from unnest(p_plan.before) c order by c.tgid);
  v_after text[] := array(select c.canonical from unnest(p_plan.after) c order by c.tgid);
  v_columns_before text := wedsql._columns_read(p_plan.before, p_plan.types_before);
  v_columns_after text := wedsql._columns_read(p_plan.after || case when v_together then p_plan.before
    else '{}' end,
    p_plan.types_after);
  v_reads text[] := array(select distinct unnest(c.reads) from unnest(p_plan.after
      || case when v_together then p_plan.before else '{}' end) c)
    || array(select t.due_attr from unnest(p_plan.rules) t where t.due_attr is not null);
begin
  v_query := wedsql._fill($q$
    select array_agg(x.wid) as wids, {states} as before, jsonb_agg(x.after) as after,
           sum(pg_column_size(x.after)) as bytes
    from (select i.wid, {before} as before, {after} as after
          from wedsql.instance i join {flow:I}.wed_flow w on w.wid = i.wid
          where i.flow_id = {id} and i.status = $1 and i.wid > $2{sample}
          order by i.wid limit $3) x$q$, jsonb_build_object('flow', (p_plan.flow).name, 'id',
            (p_plan.flow).id,
    'sample', case when p_of > 1 then ' and i.wid % ' || p_of || ' = 0' else '' end,
    'states', case when v_together then 'null::jsonb' else 'jsonb_agg(x.before)' end,
    'before', case when v_together then 'null::jsonb' else wedsql._projection(
      array(select distinct unnest(c.reads) from unnest(p_plan.before) c), p_plan.types_before, null) end,
    'after', wedsql._projection(v_reads, p_plan.types_after, p_plan.sources)));
  foreach v_status in array case when p_final then '{R,E,F}' else '{R,E}' end::"char"[] loop
    v_last := -2147483648;
    loop
      execute v_query into v_part using v_status, v_last, v_size;
      exit when v_part.wids is null or clock_timestamp() > p_until;
      v_last := v_part.wids[cardinality(v_part.wids)];
      if v_together then
        return query select u.wid, v_status, left(u.held, cardinality(v_before)), substr(u.held,
          cardinality(v_before) + 1),
            case when p_state then v_part.after -> (u.n::integer - 1) end
          from unnest(v_part.wids, wed_match.values_of(v_columns_after, v_before || v_after, v_part.after))
            with ordinality u (wid, held, n);
      else
        return query select u.wid, v_status, u.b, u.a, case when p_state
          then v_part.after -> (u.n::integer - 1) end
          from unnest(v_part.wids, wed_match.values_of(v_columns_before, v_before, v_part.before),
                      wed_match.values_of(v_columns_after, v_after, v_part.after)) with ordinality u (wid, b,
                        a, n);
      end if;
      v_size := greatest(1, least(2000, v_size * 8000000::bigint / greatest(v_part.bytes, 1)));
    end loop;
  end loop;
end $$;

-- Returns the numbers of the conditions whose letter is p_letter.
create or replace function wedsql._with_letter(p_held text, p_conditions wedsql.condition[], p_letter text)
  returns integer[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select coalesce(array_agg(c.tgid order by c.tgid), '{}')
from (select u.tgid, row_number() over (order by u.tgid) as n from unnest(p_conditions) u) c
where substr(p_held, c.n::integer, 1) = p_letter
$$;

-- Returns the enabled integrity conditions that are false or fail by these letters.
create or replace function wedsql._violated_by(p_plan wedsql.plan, p_after text) returns integer[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select array(select r.tgid from unnest(p_plan.rules) r
             where r.integrity is not null
               and r.tgid = any (wedsql._with_letter(p_after, p_plan.after, 'f')
                                 || wedsql._with_letter(p_after, p_plan.after, 'e')) order by r.tgid)
$$;

-- Returns the rules whose conditions hold by these letters, without integrity conditions.
create or replace function wedsql._matched_by(p_plan wedsql.plan, p_after text) returns integer[]
language sql immutable set search_path = pg_catalog, pg_temp as $$
select wedsql._without(wedsql._with_letter(p_after, p_plan.after, 't'),
                       array(select r.tgid from unnest(p_plan.rules) r where r.integrity is not null))
$$;
