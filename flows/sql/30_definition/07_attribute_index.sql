-- Indexes of attributes that people filter by. They are requested in the table attr_index and created or
-- dropped by a session of the owner, concurrently, so that no writer waits: PostgreSQL does that in no
-- function. An index goes with its attribute, and follows its name.

-- Returns the columns of the index of an attribute, null for a type that has none. Instances of the same
-- value are in the order of their numbers, as lists show them. Texts are indexed by their beginning, because
-- an index cannot have long values; numbers have at most 1,000 digits.
create or replace function wedsql._index_columns(p_name text, p_type text) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
select case when p_type in ('text', 'enum') then wedsql._key_expression(p_name) || ' text_pattern_ops, wid'
            when p_type <> 'jsonb' then format('%I, wid', p_name) end
$$;

-- Returns whether the index of an attribute is usable ('ready'), being created ('building'), left by an
-- attempt that failed ('broken'), or not there ('none').
create or replace function wedsql._index_state(p_flow text, p_aid integer) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce((
  select case when x.indisvalid then 'ready'
              when exists (select 1 from pg_stat_progress_create_index p
                           where p.datname = current_database() and p.index_relid = x.indexrelid)
              then 'building' else 'broken' end
  from pg_index x where x.indexrelid = to_regclass(format('%I.%I', p_flow, 'attr_' || p_aid))), 'none')
$$;

-- Returns about how many bytes an index over the attribute has, and how many seconds it takes to create; null
-- as long as PostgreSQL has no statistics of the table.
create or replace function wedsql._index_estimate(p_flow text, p_name text, p_type text,
  out bytes bigint, out seconds integer)
language sql stable set search_path = pg_catalog, pg_temp as $$
-- An entry has 12 bytes besides its columns; leaf pages are nine tenths full. The table is read twice.
select ceil(s.entries * (12 + 8 * ceil((least(s.width, 104) + 4) / 8.0)) / 0.9),
       ceil(2 * s.bytes / 200e6 + s.entries / case when s.textual then 250e3 else 1e6 end)
from (
  select nullif(c.reltuples, -1) as entries, c.relpages * 8192.0 as bytes,
         p_type in ('text', 'enum') as textual,
         coalesce((select t.avg_width from pg_stats t where t.schemaname = p_flow
                   and t.tablename = 'wed_flow' and t.attname = p_name), 8) as width
  from pg_class c where c.oid = to_regclass(format('%I.wed_flow', p_flow))) s
$$;

-- Returns everything about the index of an attribute: whether there can be one, the request for it, its
-- state, its size or an estimate, and the share of the table that was read while it is created.
create or replace function wedsql._index_facts(p_flow wedsql.flow, p_attr wedsql.attr) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_state text := wedsql._index_state(p_flow.name, p_attr.aid);
  v_index regclass := to_regclass(format('%I.%I', p_flow.name, 'attr_' || p_attr.aid));
  v_wanted wedsql.attr_index;
  v_bytes bigint;
  v_seconds integer;
begin
  select * into v_wanted from wedsql.attr_index x where x.aid = p_attr.aid;
  select e.bytes, e.seconds into v_bytes, v_seconds
  from wedsql._index_estimate(p_flow.name, p_attr.aname, p_attr.type) e;
  return jsonb_build_object('flow', p_flow.name, 'attribute', p_attr.aname, 'label', p_attr.label,
    'supported', wedsql._index_columns(p_attr.aname, p_attr.type) is not null,
    'wanted', v_wanted.aid is not null, 'state', v_state, 'actor', v_wanted.actor,
    'requested_at', v_wanted.requested_at, 'problem', v_wanted.problem,
    'bytes', case v_state when 'ready' then pg_relation_size(v_index) else v_bytes end, 'seconds', v_seconds,
    'done', (select p.blocks_done::numeric / nullif(p.blocks_total, 0) from pg_stat_progress_create_index p
             where v_state = 'building' and p.index_relid = v_index));
end $$;

-- Returns an attribute of a flow.
-- Raises: WD001, WD002.
create or replace function wedsql._attribute(p_flow wedsql.flow, p_name text) returns wedsql.attr
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_attr wedsql.attr;
begin
  select * into v_attr from wedsql.attr a where a.flow_id = p_flow.id and a.aname = p_name;
  if not found then
    perform wedsql._raise('WD002', 'Flow "{flow}" has no attribute "{attribute}".', 'Load the page again.',
      jsonb_build_object('flow', p_flow.name, 'attribute', left(p_name, 80)));
  end if;
  return v_attr;
end $$;

-- Returns everything about the index of an attribute.
-- Raises: WD001, WD002.
create or replace function wedsql.attribute_index(p_flow text, p_attribute text) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
begin
  return wedsql._index_facts(v_flow, wedsql._attribute(v_flow, p_attribute));
end $$;

-- Returns the indexes that were requested, by flow and attribute; with p_flows those of these flows.
create or replace function wedsql.list_indexes(p_flows text[] default null) returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select wedsql._index_facts(f, a) from wedsql.attr_index x
join wedsql.attr a on a.aid = x.aid join wedsql.flow f on f.id = x.flow_id
where p_flows is null or f.name = any (p_flows)
order by f.name, a.aname limit 1000
$$;

-- Rejects a change of the indexes of a flow by a person who may not design it; p_flows: the flows that this
-- person may design, null for all.
-- Raises: WD301.
create or replace function wedsql._check_indexer(p_flow text, p_flows text[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if p_flow <> all (p_flows) then
    perform wedsql._raise('WD301', 'You may not change the indexes of flow "{flow}".',
      'Ask someone who designs this flow.', jsonb_build_object('flow', p_flow));
  end if;
end $$;

-- Requests an index of an attribute, or another attempt if the last one failed, and returns it.
-- Locks: the flow's row.
-- Raises: WD001, WD002, WD009, WD301.
create or replace function wedsql.request_index(p_flow text, p_attribute text, p_actor text default null,
  p_flows text[] default null) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
  v_attr wedsql.attr := wedsql._attribute(v_flow, p_attribute);
begin
  perform wedsql._check_indexer(p_flow, p_flows);
  perform 1 from wedsql.flow f where f.id = v_flow.id for no key update;
  if wedsql._index_columns(v_attr.aname, v_attr.type) is null then
    perform wedsql._raise('WD009', 'Attribute "{attribute}" of type {type} cannot have an index.',
      'Filter by another attribute, too.',
      jsonb_build_object('attribute', v_attr.aname, 'type', v_attr.type));
  elsif (select count(*) from wedsql.attr_index x
         where x.flow_id = v_flow.id and x.aid <> v_attr.aid) >= 10 then
    perform wedsql._raise('WD009', 'At most {limit} attributes of a flow can have an index.',
      'Each index makes steps slower: remove one that is not needed.', jsonb_build_object('limit', 10));
  end if;
  insert into wedsql.attr_index as x (aid, flow_id, actor, requested_at)
  values (v_attr.aid, v_flow.id, wedsql._actor(p_actor), wedsql.now())
  on conflict (aid) do update set tried_at = '-infinity', problem = null;
  return wedsql._index_facts(v_flow, v_attr);
end $$;

-- Withdraws the request for an index, so that it is dropped.
-- Raises: WD001, WD002, WD301.
create or replace function wedsql.withdraw_index(p_flow text, p_attribute text,
  p_flows text[] default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_attr wedsql.attr := wedsql._attribute(wedsql._flow(p_flow), p_attribute);
begin
  perform wedsql._check_indexer(p_flow, p_flows);
  delete from wedsql.attr_index x where x.aid = v_attr.aid;
end $$;

-- Returns the statements that create the indexes that are missing and drop those that are not wanted, in
-- their order. An attempt that failed is made again after ten minutes.
create or replace function wedsql.index_work()
returns table (flow text, aid integer, creates boolean, statement text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
with existing as (
  select n.nspname::text as flow, substr(c.relname, 6)::integer as aid
  from pg_class c join pg_namespace n on n.oid = c.relnamespace join wedsql.flow f on f.name = n.nspname
  where c.relkind = 'i' and c.relname ~ '^attr_[0-9]{1,9}$'),
wanted as (
  select f.name as flow, x.aid, wedsql._index_columns(a.aname, a.type) as columns,
         wedsql._index_state(f.name, x.aid) as state, x.tried_at
  from wedsql.attr_index x join wedsql.attr a on a.aid = x.aid join wedsql.flow f on f.id = x.flow_id)
select s.flow, s.aid, s.creates, s.statement from (
  select e.flow, e.aid, false as creates,
         format('drop index concurrently if exists %I.%I', e.flow, 'attr_' || e.aid) as statement
  from existing e left join wanted w on w.aid = e.aid
  where w.columns is null or w.state = 'broken'
  union all
  select w.flow, w.aid, true, format('create index concurrently if not exists %I on %I.wed_flow (%s)',
                                     'attr_' || w.aid, w.flow, w.columns)
  from wanted w
  where w.columns is not null and w.state in ('none', 'broken')
    and not w.tried_at between wedsql.now() - interval '10 minutes' and wedsql.now()) s
order by s.creates, s.flow, s.aid
$$;

-- Returns whether an index is to be created or dropped.
create or replace function wedsql.has_index_work() returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select exists (select 1 from wedsql.index_work())
$$;

-- Records an attempt to create an index: that it failed, and why, or with null that it did not.
create or replace function wedsql.index_tried(p_aid integer, p_problem text) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
update wedsql.attr_index x
set tried_at = case when p_problem is null then '-infinity' else wedsql.now() end,
    problem = left(p_problem, 1000)
where x.aid = p_aid
$$;
