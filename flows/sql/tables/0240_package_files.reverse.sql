-- Packages and results that were saved as files can no longer be opened.
alter table wedsql.device drop column files_secret;
