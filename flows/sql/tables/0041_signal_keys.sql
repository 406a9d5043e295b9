-- Finds the signals that are kept for a key: each signal is delivered after older ones of its instance.
create index if not exists signal_kept_key on wedsql.signal (flow_id, key, name, id)
  where state = 'K' and wid is null;
