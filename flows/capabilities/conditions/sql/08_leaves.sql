-- Returns the comparisons of which a condition consists, each as its tokens; the checks of a definition
-- (flows/definition/lint) recognize those that compare an attribute with constants.
-- Raises: WD005, WD006.
create or replace function wedsql.condition_leaves(p_types jsonb, p_predicate text)
  returns table (kinds text[], words text[], "position" integer, length integer)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_tokens wedsql.token[];
begin
  perform wedsql._need_writable();
  perform wedsql._need_predicate(p_predicate);
  v_tokens := wedsql.parse(p_predicate, p_types);
  return query
    select array(select t.kind from unnest(v_tokens[x.first:x.last]) t order by t.position),
           array(select t.text from unnest(v_tokens[x.first:x.last]) t order by t.position),
           v_tokens[x.first].position,
           v_tokens[x.last].position + v_tokens[x.last].length - v_tokens[x.first].position
    from wedsql._parts(v_tokens, 1, cardinality(v_tokens)) x where x.kind = 'leaf';
end $$;

grant execute on function wedsql.condition_leaves(jsonb, text) to wed_web;
