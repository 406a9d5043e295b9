-- The texts from which definitions were translated.
drop table wedsql.flow_source;
