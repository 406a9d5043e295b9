-- No attribute has an index by request. The indexes are dropped, because nothing would remove them later.
do $$
declare
  v_name text;
begin
  for v_name in
    select format('%I.%I', f.name, 'attr_' || x.aid) from wedsql.attr_index x
    join wedsql.flow f on f.id = x.flow_id
  loop
    execute 'drop index if exists ' || v_name;
  end loop;
end $$;
drop table wedsql.attr_index;
