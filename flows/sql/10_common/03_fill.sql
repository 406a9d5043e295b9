-- Returns the template with its slots filled. Generated code is written as templates that read like the SQL
-- that they make:
--
--   {flow:I}    an identifier, quoted where needed (quote_ident)
--   {names:L}   a literal in quotes (quote_literal); null is NULL
--   {columns}   source text, unchanged
--
-- p_slots has the values by name. A name has letters a to z and "_" and begins with a letter, so '{}' and
-- '{1}' in a template are texts. Values are not read again: they may contain braces, percent signs and
-- backslashes.
-- Raises: XX000 when a slot has no value (or null and needs one), and when a value has no slot.
create or replace function wedsql._fill(p_template text, p_slots jsonb) returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_form text := replace(p_template, '%', '%%');
  v_values text[] := '{}';
  v_before text;
  v_slot record;
begin
  for v_slot in select * from jsonb_each_text(p_slots) with ordinality s (key, value, n) loop
    v_before := v_form;
    v_values := v_values || v_slot.value;
    v_form := replace(v_form, '{' || v_slot.key || ':L}', '%' || v_slot.n || '$L');
    if v_slot.value is not null then
      v_form := replace(v_form, '{' || v_slot.key || ':I}', '%' || v_slot.n || '$I');
      v_form := replace(v_form, '{' || v_slot.key || '}', '%' || v_slot.n || '$s');
    end if;
    if v_form = v_before then
      raise internal_error using message = format('The value %L fits no slot of the template.', v_slot.key);
    end if;
  end loop;
  if v_form ~ '[{][a-z][a-z_]*(:[A-Z])?[}]' then
    raise internal_error using message = format('The slot %s of a template has no value.',
      substring(v_form from '[{][a-z][a-z_]*(?::[A-Z])?[}]'));
  end if;
  return format(v_form, variadic v_values);
end $$;
