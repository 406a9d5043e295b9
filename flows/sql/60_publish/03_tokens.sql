-- Tokens of a drawing that is published again, where the new one has no place for them. Each drawing says of
-- which elements its attributes are (flows/languages/bpmn/compiler/positions.py): a token within an element
-- that is of another kind now waits for that element as if it had just arrived there.

-- What the new version starts with is none of theirs.

-- Returns what becomes of the attributes of tokens when a definition is published: {"of": the attribute,
-- "to": the one that gets its tokens, null where its element is gone, "kept": whether it remains, without
-- them, "new": whether it comes, without any}; no row where the flow, or the definition, was not drawn.
create or replace function wedsql._token_moves(p_flow wedsql.flow, p_definition jsonb) returns setof jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
with old as (
  select s.map, s.language from wedsql.flow_source s
  where s.flow_id = p_flow.id and s.version between 1 and p_flow.version order by s.version desc limit 1),
new as (
  select wedsql._pending_source(p_flow.id, p_definition) -> 'map' -> 'positions' as map
  where exists (select from old where old.language <> 'pdl')),
had as (
  select p.part, a.key, a.value as place, regexp_replace(a.value, '[^/]*$', '') as around
  from old cross join (values ('tokens'), ('entered'), ('counted')) p (part)
  cross join jsonb_each_text(old.map -> 'positions' -> p.part) a)
select jsonb_build_object('of', h.key, 'to', case when h.part <> 'counted' then
         new.map -> 'entries' ->> h.place end, 'kept', new.map -> h.part ? h.key, 'new', false)
from had h cross join new
where new.map is not null and case when h.part = 'tokens'
  then regexp_replace(coalesce(new.map -> h.part ->> h.key, ''), '[^/]*$', '') <> h.around
       or not new.map -> h.part ? h.key
  else new.map -> h.part ->> h.key is distinct from h.place end
union all
select jsonb_build_object('of', n.key, 'to', null, 'kept', true, 'new', true)
from old cross join new cross join jsonb_object_keys(new.map -> 'tokens') n (key)
where not old.map -> 'attributes' ? n.key
$$;

-- Returns the tokens that a definition has no place for: {"moves": those of _token_moves that matter,
-- "found": {instance: {attribute: how many}}}; null where nothing is to be done.
create or replace function wedsql._tokens_to_move(p_flow integer, p_definition jsonb) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow;
  v_moves jsonb;
  v_lost jsonb;
  v_found jsonb;
begin
  select * into v_flow from wedsql.flow f where f.id = p_flow;
  select jsonb_agg(m), jsonb_agg(m) filter (where not (m ->> 'new')::boolean) into v_moves, v_lost
  from wedsql._token_moves(v_flow, p_definition) m
  where (m ->> 'new')::boolean or (m ->> 'to' is not null or (m ->> 'kept')::boolean) and exists (
    select from wedsql.attr a where a.flow_id = p_flow and a.aname = m ->> 'of');
  if v_moves is null then
    return null;
  elsif v_lost is not null then
    execute format($q$
      select jsonb_object_agg(w.wid, jsonb_build_object(%s)) from %I.wed_flow w
      join wedsql.instance i on i.wid = w.wid
      where i.flow_id = $1 and i.status in ('R', 'E', 'S', 'X') and (%s)$q$,
      (select string_agg(format('%L, coalesce(w.%I, 0)', m ->> 'of', m ->> 'of'), ', ')
       from jsonb_array_elements(v_lost) m), v_flow.name,
      (select string_agg(format('w.%I > 0', m ->> 'of'), ' or ') from jsonb_array_elements(v_lost) m))
    into v_found using p_flow;
  end if;
  return jsonb_build_object('moves', v_moves, 'found', coalesce(v_found, '{}'));
end $$;

-- Gives tokens of living instances their places in the definition that is applied. The columns are there, and
-- the re-match that follows writes the history.
create or replace function wedsql._move_tokens(p_flow integer, p_tokens jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_name text := (select f.name from wedsql.flow f where f.id = p_flow);
  v_moves jsonb := p_tokens -> 'moves';
  v_none text := (
    select string_agg(format('%I = 0', m ->> 'of'), ', ') from jsonb_array_elements(v_moves) m
    where (m ->> 'kept')::boolean);
  v_sets text := (
    select string_agg(format('%1$I = coalesce(w.%1$I, 0) + %2$s', g.name, g.added), ', ')
    from (select m ->> 'to' as name,
                 string_agg(format('coalesce((t.value ->> %L)::integer, 0)', m ->> 'of'), ' + ') as added
          from jsonb_array_elements(v_moves) m where m ->> 'to' is not null group by 1) g);
begin
  if v_none is not null then
    execute format('update %I.wed_flow w set %s from wedsql.instance i where i.wid = w.wid '
                   'and i.flow_id = $1 and i.status in (''R'', ''E'', ''S'', ''X'')', v_name, v_none)
    using p_flow;
  end if;
  if v_sets is not null and p_tokens -> 'found' <> '{}' then
    execute format('update %I.wed_flow w set %s from jsonb_each($1) t where w.wid = t.key::integer', v_name,
                   v_sets) using p_tokens -> 'found';
  end if;
  if v_moves is not null then
    perform wedsql._touch(p_flow, true);
  end if;
end $$;
