-- No data are lost.
drop index if exists wedsql.signal_kept_key;
