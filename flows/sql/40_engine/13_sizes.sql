-- Limits of the size of a state. Each step keeps the whole state in the history, and the limits of conditions
-- depend on it.

-- Rejects a state or changes that are too large.
-- Raises: WD107.
create or replace function wedsql._refuse_size() returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._raise('WD107', 'The state would be larger than {limit} bytes of JSON text.',
    'Store large contents elsewhere, and their address in an attribute.',
    jsonb_build_object('limit', wedsql.state_limit()));
end $$;

-- Rejects a state that is too large, or that has a number of more than 1,000 digits as an attribute. A state
-- that was too large already, from before there was a limit, may become smaller.
-- Raises: WD003, WD107.
create or replace function wedsql._check_size(p_state jsonb, p_before jsonb) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_size integer := octet_length(p_state::text);
  v_name text;
begin
  if v_size <= 1000 then
    return;
  elsif v_size > wedsql.state_limit() and v_size > coalesce(octet_length((p_state || p_before)::text), 0) then
    perform wedsql._refuse_size();
  end if;
  select e.key into v_name from jsonb_each(p_state) e
  where jsonb_typeof(e.value) = 'number' and octet_length(e.value::text) > 1000
    and e.value is distinct from p_before -> e.key limit 1;
  if found then
    perform wedsql._raise('WD003', 'The number for attribute "{attribute}" has more than 1000 digits.',
      'Store it as text, or as a fraction of a unit that fits.',
      jsonb_build_object('attribute', v_name, 'sqlstate', '22003'));
  end if;
end $$;

-- Rejects steps of which one gives a state that is too large.
-- Raises: WD003, WD107.
create or replace function wedsql._check_sizes(p_steps wedsql.step[]) returns void
language sql set search_path = pg_catalog, pg_temp as $$
select wedsql._check_size(u.state, u.before) from unnest(p_steps) u
$$;
