-- What persons have asked for, and what happens later, without them. The kernel does not know who may do what
-- (docs/decisions/approvers.md): the site looks at who has asked, and ends here what its person may no longer
-- do. What ends so is kept with the reason, WD304, and another person asks for it again.

-- Returns what persons have asked for and is about to happen: {"kind", "number", "person", "operation",
-- "flows"}. What waits for an approval or for its time is not among it: it is looked at then.
create or replace function wedsql.standing_requests() returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select r.value || jsonb_build_object('kind', k.key)
from jsonb_each(wedsql._call_standing(wedsql.now())) k cross join lateral jsonb_array_elements(k.value) r
$$;

-- Ends a request whose person may no longer make it, and returns whether it was one that waits.
-- Locks: the request, after what is being done of it.
create or replace function wedsql.end_request(p_kind text, p_number bigint, p_person text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '10s' as $$
begin
  return wedsql._call_end_standing(p_kind, p_number, wedsql._why('WD304',
    '{person} asked for this, and may not do it now.',
    'What is left of it is not done. Another person who may do it asks for it again.',
    jsonb_build_object('person', p_person)));
end $$;

grant execute on function wedsql.standing_requests(), wedsql.end_request(text, bigint, text)
to wed_web, wed_reaper;
