-- The tables without them. Lost are the order of attributes and triggers, what publications chose, which
-- attributes are the business key, with its indexes, which ones a repair may not change, and
-- acknowledgements of findings. A re-match that is on its way in batches is not continued: wait for its end.
drop table wedsql.rematch_held;
drop table wedsql.rematch_run;
drop index wedsql.instance_version;
alter table wedsql.flow_version drop column held_back;
alter table wedsql.publication drop column choices;
drop table wedsql.item_order;

do $$
declare
  v_indexes text := (
    select string_agg(x.oid::regclass::text, ', ')
    from wedsql.attr a join wedsql.flow f on f.id = a.flow_id join pg_namespace n on n.nspname = f.name
    join pg_class x on x.relnamespace = n.oid and x.relkind = 'i' and x.relname = 'key_' || a.aid
    where a.business_key);
begin
  if v_indexes is not null then
    execute 'drop index ' || v_indexes;
  end if;
end $$;
alter table wedsql.attr drop column business_key, drop column repairable;
drop table wedsql.acknowledgement;
alter table wedsql.flow drop column applying;
alter table wedsql.draft_revision drop column summary_parts;
