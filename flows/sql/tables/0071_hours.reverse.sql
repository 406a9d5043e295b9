-- The tables with hours that may be 0; those that were deleted stay so.
alter table wedsql.flow drop constraint flow_warnings_check;
alter table wedsql.flow add constraint flow_warnings_check check (cardinality(warnings) <= 20
  and array_to_string(warnings, chr(10)) ~ E'^([0-9]{1,4}([.][0-9]{1,2})?( transfer)?(\\n|$))*$'
  and array_to_string(warnings, ' ') !~ 'transfer.*transfer');
