-- Whether who publishes or drops a flow knows what that takes from other persons: the number of tasks and
-- cases that they hold (p_held), which is compared with what it takes.

-- Compares what is taken from persons, as the hooks losses and holders return it, with the number that was
-- confirmed; null: the caller asks nothing.
-- Raises: WD011.
create or replace function wedsql._confirm_held(p_flow text, p_found jsonb, p_held integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_count bigint := coalesce((select sum((e ->> 'tasks')::bigint) from jsonb_array_elements(p_found) e), 0);
begin
  if p_held <> v_count then
    perform wedsql._raise('WD011',
      'The number of tasks and cases of flow "{flow}" that other persons hold and that this takes from them '
      'is {count}{persons}.',
      'Do it again with held = {count}; who loses one gets a message.',
      jsonb_build_object('flow', p_flow, 'count', v_count, 'holders', coalesce(p_found, '[]'), 'persons', (
        select coalesce(': ' || string_agg(format('%s (%s)', left(e ->> 'owner', 80), e ->> 'tasks'), ', '
          order by n), '')
        from jsonb_array_elements(p_found) with ordinality o (e, n) where n <= 20)));
  end if;
end $$;

-- Returns those triggers of a flow that a definition leaves to persons.
create or replace function wedsql._kept_for_persons(p_flow wedsql.flow, p_definition jsonb) returns integer[]
language sql stable set search_path = pg_catalog, pg_temp as $$
select coalesce(array_agg(u.tgid), '{}')
from unnest(wedsql._trigger_numbers(p_flow, p_definition)) with ordinality u (tgid, place)
where u.tgid is not null
  and p_definition -> 'triggers' -> (u.place - 1)::integer ->> 'performer' = 'person'
$$;

-- Returns after which note confirm_losses looks, to be asked before something is changed.
create or replace function wedsql.last_loss() returns bigint
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
select coalesce(wedsql._call_last_loss(), 0)
$$;

-- Compares what other persons have lost of a flow since then, by this transaction, with the number that was
-- confirmed.
-- Raises: WD001, WD011.
create or replace function wedsql.confirm_losses(p_flow text, p_after bigint, p_held integer,
  p_actor text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
begin
  perform wedsql._confirm_held(v_flow.name,
    wedsql._call_losses(v_flow.id, p_after, wedsql._actor(p_actor)), p_held);
end $$;

grant execute on function wedsql.last_loss(), wedsql.confirm_losses(text, bigint, integer, text) to wed_web;
