-- The tables without the files of forms. Lost are these; the attributes keep their descriptions.
drop table wedsql.task_file;
drop table wedsql.file_content;
