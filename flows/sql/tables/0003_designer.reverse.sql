-- The tables without the designer. Lost are all drafts and requests, and who approved a version.
alter table wedsql.flow_version drop column approver, drop column publication_id;
drop table wedsql.publication, wedsql.draft_revision, wedsql.draft_base, wedsql.draft;
-- They name the column; the functions of either version create them again.
drop trigger if exists c_changed on wedsql.flow;
drop trigger if exists d_commit on wedsql.flow;
alter table wedsql.flow drop column needs_approval;
