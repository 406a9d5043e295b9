-- Returns the predicate as the kernel will evaluate it, if it is one over the flow's attributes.
-- Raises: WD001; WD005 and WD006 with the position in the text.
create or replace function wedsql.check_predicate(p_flow text, p_predicate text) returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_flow wedsql.flow := wedsql._flow(p_flow);
begin
  return (select c.aligned from wedsql.check_predicate_text(p_predicate, wedsql._attr_types(v_flow.id)) c);
end $$;
