-- Hours before a deadline are more than 0: at the deadline there is a message anyway, and no transfer.
update wedsql.flow f
set warnings = array(select w from unnest(f.warnings) with ordinality u (w, n)
                     where split_part(w, ' ', 1)::numeric > 0 order by u.n)
where exists (select from unnest(f.warnings) w where split_part(w, ' ', 1)::numeric = 0);
alter table wedsql.flow drop constraint if exists flow_warnings_check;
alter table wedsql.flow add constraint flow_warnings_check check (cardinality(warnings) <= 20
  and array_to_string(warnings, chr(10)) ~ E'^([0-9]{1,4}([.][0-9]{1,2})?( transfer)?(\\n|$))*$'
  and array_to_string(warnings, chr(10)) !~ E'(^|\\n)0+([.]0+)?( |\\n|$)'
  and array_to_string(warnings, ' ') !~ 'transfer.*transfer');
