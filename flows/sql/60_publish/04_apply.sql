-- Makes attributes and triggers those of the definition, and returns how many were added, changed and
-- removed. wedsql._difference returns what is to be done, after attributes with "was" have their new names
-- and the predicates with them.
create or replace function wedsql._apply_definition(p_flow integer, p_definition jsonb) returns jsonb
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_renamed integer;
  v_changes jsonb;
begin
  perform wedsql._touch(p_flow, false, false);  -- the caller has checked it
  v_renamed := wedsql._apply_renames(p_flow, p_definition -> 'attributes');
  select coalesce(jsonb_object_agg(d.what, d.list), '{}') into v_changes from (
    select d.part || 's_' || d.change as what,
           jsonb_agg(jsonb_build_object('old', d.old_value, 'new', d.new_value) order by d.ord) as list
    from wedsql.flow f cross join lateral wedsql._difference(wedsql._definition(f, true), p_definition) d
      where f.id = p_flow
    group by 1) d;
  perform wedsql._apply_settings(p_flow, v_changes -> 'settings_changed');
  perform wedsql._apply_attributes(p_flow, v_changes -> 'attributes_changed',
    v_changes -> 'attributes_added');
  perform wedsql._apply_triggers(p_flow, v_changes);
  delete from wedsql.attr a using jsonb_array_elements(v_changes -> 'attributes_removed') r
  where a.flow_id = p_flow and a.aname = r -> 'old' ->> 'name';
  perform wedsql._generate(p_flow);
  return (select jsonb_object_agg(w.what, jsonb_array_length(coalesce(v_changes -> w.what, '[]'))
                                          + case when w.what = 'attributes_changed' then v_renamed else 0 end)
          from unnest(array['attributes_added', 'attributes_changed', 'attributes_removed', 'triggers_added',
            'triggers_changed',
                            'triggers_removed']) w (what));
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
  execute format('update wedsql.flow f set (%s) = row(%s) where f.id = ($1).id',
    wedsql._option_columns('flow'),
                 wedsql._option_columns('flow', '($1).')) using v_new;
  if v_new.default_timeout is distinct from v_old.default_timeout then
    perform wedsql._default_timeout(p_flow, v_old.name);
  end if;
end $$;

-- Alters and adds attributes; those to be removed stay for now, because predicates may still name them.
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
end $$;

-- Gives attributes with a number ("id") or with "was" their new names, also where they exchange them, and
-- returns how many were renamed. A rename to a name that another attribute still has waits for that one;
-- where each waits for the next, one gets a temporary name.
create or replace function wedsql._apply_renames(p_flow integer, p_attributes jsonb) returns integer
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_todo jsonb;
  v_next jsonb;
  v_count integer;
begin
  select coalesce(jsonb_object_agg(a.aid, d ->> 'name'), '{}'), count(*) into v_todo, v_count
  from jsonb_array_elements(p_attributes) d join wedsql.attr a
    on a.flow_id = p_flow and a.aname <> d ->> 'name'
      and case when d ->> 'id' = a.aid::text then true else a.aname = d ->> 'was' and not exists (
        select 1 from jsonb_array_elements(p_attributes) x where x ->> 'id' = a.aid::text) end;
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
begin
  perform wedsql._withdraw_jobs(array_agg(j.wid), array_agg(j.id), 'withdrawn', wedsql._actor(),
                                'The trigger was removed.', wedsql.now())
  from wedsql.job_pool j where j.flow_id = p_flow and j.tgid = any (v_gone) having count(*) > 0;
  delete from wedsql.trig t where t.flow_id = p_flow and t.tgid = any (v_gone);
  execute format($q$
    update wedsql.trig x set (%s) = row(%s)
    from jsonb_array_elements($1) c cross join lateral wedsql._trigger_row(c -> 'new', $2, 'null') n
    where x.flow_id = $3 and x.tgid = (c -> 'old' ->> 'id')::integer $q$, wedsql._option_columns('trig'),
      wedsql._option_columns('trig', 'n.'))
  using p_changes -> 'triggers_changed', v_options, p_flow;
  execute format($q$
    insert into wedsql.trig (flow_id, %s) select $3, %s
    from jsonb_array_elements($1) with ordinality c (j, ord)
      cross join lateral wedsql._trigger_row(c.j -> 'new', $2, 'null') n
    order by c.ord $q$, wedsql._option_columns('trig'), wedsql._option_columns('trig', 'n.'))
  using p_changes -> 'triggers_added', v_options, p_flow;
end $$;
