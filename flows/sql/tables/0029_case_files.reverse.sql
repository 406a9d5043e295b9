-- Cases without files. Lost are all files; the history still has their names.
drop table wedsql.case_file;
