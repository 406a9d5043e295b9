-- Makes attributes and triggers those of the definition, and returns how many were added, changed and
-- removed. wedsql._difference returns what is to be done, after attributes with "was" have their new names
-- and the predicates with them. It is one step: conditions are compiled and names compared at its end, over
-- what results, so that no order of changes is impossible. The publication that follows generates the
-- functions.
create or replace function wedsql._apply_definition(p_flow integer, p_definition jsonb) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_renamed integer;
  v_removed text[];
  v_changes jsonb;
  v_tokens jsonb := wedsql._tokens_to_move(p_flow, p_definition);
begin
  perform wedsql._touch(p_flow, false, false);  -- the caller has checked it
  update wedsql.flow f set applying = true where f.id = p_flow;
  perform wedsql._generate_later(p_flow);
  v_removed := wedsql._remove_attributes(p_flow, p_definition);
  v_renamed := wedsql._apply_renames(p_flow, p_definition);
  select coalesce(jsonb_object_agg(d.what, d.list), '{}') into v_changes from (
    select d.part || 's_' || d.change as what,
           jsonb_agg(jsonb_build_object('old', d.old_value, 'new', d.new_value) order by d.ord) as list
    from wedsql.flow f cross join lateral wedsql._difference(wedsql._definition(f, true), p_definition) d
      where f.id = p_flow
    group by 1) d;
  perform wedsql._apply_settings(p_flow, v_changes -> 'settings_changed');
  perform wedsql._apply_attributes(p_flow, v_changes -> 'attributes_changed',
    v_changes -> 'attributes_added');
  perform wedsql._move_tokens(p_flow, v_tokens);
  perform wedsql._apply_triggers(p_flow, v_changes);
  perform wedsql._check_applied(p_flow, v_removed);
  update wedsql.flow f set applying = false where f.id = p_flow;
  perform wedsql._keep_order(p_flow, p_definition, v_changes -> 'triggers_added');
  return (select jsonb_object_agg(w.what, jsonb_array_length(coalesce(v_changes -> w.what, '[]'))
                                          + case w.what when 'attributes_changed' then v_renamed
                                                        when 'attributes_removed' then cardinality(v_removed)
                                                        else 0 end)
          from unnest(array['attributes_added', 'attributes_changed', 'attributes_removed', 'triggers_added',
            'triggers_changed',
                            'triggers_removed']) w (what));
end $$;

-- Checks the definition that was applied as a whole, and compiles the conditions that have to be: those that
-- were written, and those over attributes that changed.
-- Raises: WD002, WD005, WD006, WD007 where a removed attribute is still used, WD009.
create or replace function wedsql._check_applied(p_flow integer, p_removed text[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp
set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'postgres' as $$
declare
  v_types jsonb := wedsql._attr_types(p_flow);
  v_trig wedsql.trig;
  v_tgids integer[];
  v_texts text[];
begin
  perform wedsql._raise_in_use(r.attribute, r.places)
  from wedsql._attribute_references(p_flow, array(
    select r.name from unnest(p_removed) r (name) where not v_types ? r.name)) r
  where p_removed <> '{}';
  for v_trig in
    select x.* from (select distinct on (wedsql._likeness(t)) t.* from wedsql.trig t where t.flow_id = p_flow
                     order by wedsql._likeness(t), t.tgid) x
    order by x.tgid
  loop
    perform wedsql._check_options(v_trig, v_types);
  end loop;
  select array_agg(t.tgid order by t.tgid), array_agg(t.cpred order by t.tgid) into v_tgids, v_texts
  from wedsql.trig t where t.flow_id = p_flow and t.canonical is null;
  update wedsql.trig t set canonical = c.qualified, reads = c.reads, disjuncts = c.disjuncts
  from wedsql._check_predicates(v_texts, v_types) c where t.tgid = v_tgids[c.n];
end $$;

-- Keeps the order of attributes and triggers in which the definition that was applied has them. Where all
-- triggers were added, which is p_added, their numbers have its order.
create or replace function wedsql._keep_order(p_flow integer, p_definition jsonb, p_added jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  insert into wedsql.item_order (flow_id, attributes, triggers)
  select f.id, array(
      select a.aid from jsonb_array_elements(p_definition -> 'attributes') with ordinality e (j, n)
      join wedsql.attr a on a.flow_id = f.id and a.aname = e.j ->> 'name' order by e.n),
    case when cardinality(t.numbers) = jsonb_array_length(p_added) then t.numbers
         else array_remove(wedsql._trigger_numbers(f, p_definition), null) end
  from wedsql.flow f cross join lateral (
    select coalesce(array_agg(t.tgid order by t.tgid), '{}') as numbers from wedsql.trig t
    where t.flow_id = f.id) t
  where f.id = p_flow
  on conflict (flow_id) do update set attributes = excluded.attributes, triggers = excluded.triggers;
end $$;

-- Gives the settings of a flow their new values.
create or replace function wedsql._apply_settings(p_flow integer, p_changed jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_old wedsql.flow;
  v_new wedsql.flow;
begin
  select * into v_old from wedsql.flow f where f.id = p_flow;
  select r.* into v_new from jsonb_populate_record(v_old, (
    select jsonb_object_agg(o.col, c -> 'new' -> o.name)
    from jsonb_array_elements(p_changed) c join wedsql._options('flow') o on c -> 'new' ? o.name)) r;
  if v_new is not distinct from v_old then
    return;
  end if;
  perform wedsql._check_spans('flow', v_new);
  perform wedsql._check_queue_labels(v_new);
  execute format('update wedsql.flow f set (%s) = row(%s) where f.id = ($1).id',
    wedsql._option_columns('flow'),
                 wedsql._option_columns('flow', '($1).')) using v_new;
  perform wedsql._set_start_times(v_new, v_old);
  if v_new.default_timeout is distinct from v_old.default_timeout then
    perform wedsql._default_timeout(p_flow, v_old.name);
  end if;
end $$;

-- Removes the attributes that the definition does not have, and returns their names. It comes first, so that
-- another attribute can get such a name.
create or replace function wedsql._remove_attributes(p_flow integer, p_definition jsonb) returns text[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_removed text[];
begin
  with gone as (
    delete from wedsql.attr a
    where a.flow_id = p_flow and a.aid <> all (array(
      select (o.published).aid from wedsql._origins(p_flow, p_definition) o
      where (o.published).aid is not null))
    returning a.aid, a.aname)
  select coalesce(array_agg(g.aname order by g.aid), '{}') into v_removed from gone g;
  update wedsql.trig t set canonical = null where t.flow_id = p_flow and t.reads && v_removed;
  return v_removed;
end $$;

-- Alters and adds attributes.
create or replace function wedsql._apply_attributes(p_flow integer, p_changed jsonb, p_added jsonb)
  returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_options wedsql.option[] := wedsql._option_list('attr');
begin
  execute format($q$
    update wedsql.attr x set (%s) = row(%s)
    from jsonb_array_elements($1) c cross join lateral wedsql._attribute_row(c -> 'new', $2) n
    where x.flow_id = $3 and x.aname = n.aname $q$, wedsql._option_columns('attr'),
      wedsql._option_columns('attr', 'n.'))
  using p_changed, v_options, p_flow;
  execute format($q$
    insert into wedsql.attr (flow_id, %s) select $3, %s
    from jsonb_array_elements($1) with ordinality c (j, ord)
      cross join lateral wedsql._attribute_row(c.j -> 'new', $2) n
    order by c.ord $q$, wedsql._option_columns('attr'), wedsql._option_columns('attr', 'n.'))
  using p_added, v_options, p_flow;
  perform wedsql._lock_definition(p_flow, true), wedsql._touch(p_flow, true),
          wedsql._add_columns(f.id, f.name)
  from wedsql.flow f where f.id = p_flow and jsonb_array_length(p_added) > 0;
end $$;

-- Gives attributes with a number ("id") or with "was" their new names, also where they exchange them, and
-- returns how many were renamed. A rename to a name that another attribute still has waits for that one;
-- where each waits for the next, one gets a temporary name.
create or replace function wedsql._apply_renames(p_flow integer, p_definition jsonb) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_todo jsonb;
  v_next jsonb;
  v_count integer;
begin
  select coalesce(jsonb_object_agg((o.published).aid, (o.given).aname), '{}'), count(*) into v_todo, v_count
  from wedsql._origins(p_flow, p_definition) o where (o.published).aname <> (o.given).aname;
  while v_todo <> '{}' loop
    select jsonb_object_agg(t.key, t.value) into v_next from jsonb_each_text(v_todo) t
    where not exists (select 1 from wedsql.attr a
                      where a.flow_id = p_flow and a.aname = t.value and v_todo ? a.aid::text);
    if v_next is null then
      update wedsql.attr a set aname = 'wed_renamed_' || a.aid
      where a.aid = (select min(k::integer) from jsonb_object_keys(v_todo) k);
    else
      update wedsql.attr a set aname = t.value from jsonb_each_text(v_next) t where a.aid = t.key::integer;
      v_todo := v_todo - array(select jsonb_object_keys(v_next));
    end if;
  end loop;
  return v_count;
end $$;

-- Removes, changes and adds triggers. Jobs of removed triggers are withdrawn.
create or replace function wedsql._apply_triggers(p_flow integer, p_changes jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_gone integer[] := array(select (r -> 'old' ->> 'id')::integer
    from jsonb_array_elements(p_changes -> 'triggers_removed') r);
  v_options wedsql.option[] := wedsql._option_list('trig');
  v_final boolean;
  v_types jsonb := wedsql._attr_types(p_flow);
begin
  perform wedsql._withdraw_jobs(array_agg(j.wid), array_agg(j.id), 'withdrawn', wedsql._actor(),
                                'The trigger was removed.', wedsql.now())
  from wedsql.job_pool j where j.flow_id = p_flow and j.tgid = any (v_gone)
    and not wedsql._call_compensates(j.wid, j.id) having count(*) > 0;
  delete from wedsql.trig t where t.flow_id = p_flow and t.tgid = any (v_gone);
  foreach v_final in array array[false, true] loop  -- the final condition may move to another trigger
    execute format($q$
      update wedsql.trig x set (%s) = row(%s)
      from jsonb_array_elements($1) c cross join lateral wedsql._trigger_row(c -> 'new', $2, 'null') n
      where x.flow_id = $3 and x.tgid = (c -> 'old' ->> 'id')::integer and coalesce(n.cfinal, false) = $4 $q$,
      wedsql._option_columns('trig'), wedsql._option_columns('trig', 'n.'))
    using p_changes -> 'triggers_changed', v_options, p_flow, v_final;
  end loop;
  execute format($q$
    insert into wedsql.trig (flow_id, %s, canonical, reads, disjuncts)
    select $3, %s, k.qualified, k.reads, k.disjuncts
    from jsonb_array_elements($1) with ordinality c (j, ord)
      cross join lateral wedsql._trigger_row(c.j -> 'new', $2, 'null') n
      join wedsql._check_predicates(array(
        select wedsql._needed_predicate(e.j -> 'new' ->> 'predicate')
        from jsonb_array_elements($1) with ordinality e (j, ord) order by e.ord), $4) k on k.n = c.ord
    order by c.ord $q$, wedsql._option_columns('trig'), wedsql._option_columns('trig', 'n.'))
  using p_changes -> 'triggers_added', v_options, p_flow, v_types;
end $$;
