-- Labels of options and queues: lines of a value and its label, such as sold_out = Sold out. A language in
-- brackets after the value says for whom: sold_out [pt-br] = Esgotado. flows/labels.py reads them.

-- Returns what a line is about: its value and language, '' for every language; no row for what is no line.
-- Where values are known, the longest of them with which the line begins is its value.
create or replace function wedsql._label_line(p_line text, p_known text[], out code text, out language text)
  returns setof record
language sql immutable set search_path = pg_catalog, pg_temp as $$
select r.code, coalesce(r.m[2], '') from (
  select k as code, regexp_match(substr(p_line, length(k) + 1),
    e'^\\s*(\\[([a-z]{2,3}(?:-[a-z0-9]{2,8})*)\\])?\\s*=\\s*\\S') as m
  from unnest(p_known) k where starts_with(p_line, k)
  union all
  select btrim(m[1]), array[null, m[2]] from regexp_match(p_line,
    e'^([^=\\[\\]]*[^=\\[\\]\\s])\\s*(?:\\[([a-z]{2,3}(?:-[a-z0-9]{2,8})*)\\])?\\s*=\\s*\\S') m
  where p_known is null and m is not null) r
where r.m is not null order by length(r.code) desc limit 1
$$;

-- Checks the labels of options or queues: p_known has the values, null where each name may be one.
-- Raises: WD009 naming the line.
create or replace function wedsql._check_labels(p_lines text[], p_known text[], p_column text, p_about jsonb)
  returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  v_about jsonb := p_about || jsonb_build_object('column', p_column);
  v_line text;
begin
  if cardinality(p_lines) > 1000 then
    perform wedsql._raise('WD009', 'There are more than 1000 labels.', 'Leave out those of other values.',
      v_about);
  end if;
  select l.line into v_line from unnest(p_lines) l (line)
  where l.line is null or length(l.line) > 300 or l.line ~ '[[:cntrl:]]'
    or not exists (select from wedsql._label_line(l.line, p_known)) limit 1;
  if found then
    perform wedsql._raise('WD009', 'The line "{value}" is not the label of a value.',
      'Write the value, = and its label, such as sold_out = Sold out, or sold_out [pt-br] = Esgotado for one '
      'language; a line has at most 300 characters.',
      v_about || jsonb_build_object('value', coalesce(left(v_line, 80), 'null')));
  end if;
  select min(l.line) into v_line from unnest(p_lines) l (line), wedsql._label_line(l.line, p_known) f
  group by f.code, f.language having count(*) > 1 limit 1;
  if found then
    perform wedsql._raise('WD009', 'The value of the line "{value}" has two labels in one language.',
      'Keep one of them.', v_about || jsonb_build_object('value', left(v_line, 80)));
  end if;
end $$;

-- Checks the labels of the options of an attribute; only an attribute with options has them.
-- Raises: WD009.
create or replace function wedsql._check_option_labels(p_name text, p_type text, p_options text[],
  p_labels text[]) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._check_labels(p_labels, case when p_type = 'enum' then coalesce(p_options, '{}')
    else '{}' end, 'option_labels', jsonb_build_object('attribute', p_name));
end $$;

-- Checks the labels of the queues of a flow.
-- Raises: WD009.
create or replace function wedsql._check_queue_labels(p_flow wedsql.flow) returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  perform wedsql._check_labels((p_flow).queue_labels, null, 'queue_labels', '{}');
end $$;
