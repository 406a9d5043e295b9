-- Logging in with a key. Which secret a session has logged in with is in its own memory (currval), which only
-- the functions here set: a number copied into a setting proves nothing (40_engine/04_session.sql). login_at
-- is 1 for the whole session, 2 after a log-out, else the beginning of the transaction for which it counts,
-- in microseconds. wedsql.worker_login only says that there are such values.

-- Logs this session in with the secret text of a key, and returns the key's name. p_for: session, or, for
-- connections that other clients use in between (a pooler), transaction. A log-in that fails ends the one
-- before.
-- Raises: WD009, WD571.
create or replace function wedsql.log_in_worker(p_key text, p_for text default 'session') returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_secret bigint;
  v_name text;
begin
  if p_for is null or p_for not in ('session', 'transaction') then
    perform wedsql._raise('WD009', 'A worker logs in for a session or a transaction.');
  end if;
  perform setval('wedsql.login_at', 2);
  select s.id, k.name into v_secret, v_name
  from wedsql.worker_secret s join wedsql.worker_key k on k.id = s.key_id
  where s.digest = wedsql._key_digest(p_key);
  perform wedsql._check_secret(v_secret);
  perform setval('wedsql.login_secret', v_secret),
          setval('wedsql.login_at', case p_for when 'session' then 1 else wedsql._microseconds(now()) end),
          set_config('wedsql.worker_login', 'on', p_for = 'transaction');
  perform wedsql._note_key_use(v_secret);
  return v_name;
end $$;

-- Ends the log-in of this session.
create or replace function wedsql.log_out_worker() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform setval('wedsql.login_at', 2), set_config('wedsql.worker_login', '', false);
end $$;

-- Returns the SHA-256 of a key. A secret of 256 random bits cannot be guessed, so it needs neither a salt nor
-- a slow function.
create or replace function wedsql._key_digest(p_key text) returns bytea
language sql immutable set search_path = pg_catalog, pg_temp as $$
select sha256(convert_to(coalesce(p_key, ''), 'UTF8'))
$$;

-- Returns the number of the secret with which this session, or its transaction, is logged in; null without,
-- also where the session wrote the setting and never logged in.
create or replace function wedsql._login() returns bigint
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if coalesce(current_setting('wedsql.worker_login', true), '') = 'on'
     and currval('wedsql.login_at') in (1, wedsql._microseconds(now())) then
    return currval('wedsql.login_secret');
  end if;
  return null;
exception when object_not_in_prerequisite_state then
  return null;
end $$;

-- Checks that a secret is accepted now.
-- Raises: WD571 for none, for one that was replaced, and for a key that was revoked or has expired.
create or replace function wedsql._check_secret(p_secret bigint) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_key record;
  v_now timestamptz := wedsql.now();
begin
  select k.name, k.revoked_at, k.expires_at, s.valid_until into v_key
  from wedsql.worker_secret s join wedsql.worker_key k on k.id = s.key_id where s.id = p_secret;
  if not found then
    perform wedsql._raise('WD571', 'There is no such worker key.',
      'Check the file or the variable from which the worker reads its key.');
  elsif v_key.revoked_at is not null then
    perform wedsql._raise('WD571', 'The worker key "{key}" was revoked.', 'Ask for another key.',
      jsonb_build_object('key', v_key.name));
  elsif v_key.expires_at <= v_now then
    perform wedsql._raise('WD571', 'The worker key "{key}" has expired.', 'Ask for another key.',
      jsonb_build_object('key', v_key.name));
  elsif v_key.valid_until <= v_now then
    perform wedsql._raise('WD571', 'The worker key "{key}" was rotated, and its old secret has ended.',
      'Give the worker the new secret.', jsonb_build_object('key', v_key.name));
  end if;
end $$;

-- Records the use of a key, at most once a minute, without waiting for a transaction that does the same.
-- Locks: the row of the use.
create or replace function wedsql._note_key_use(p_secret bigint) returns void
language sql volatile set search_path = pg_catalog, pg_temp as $$
update wedsql.worker_key_use u set used_at = wedsql.now()
where u.key_id = (select o.key_id from wedsql.worker_key_use o
                  join wedsql.worker_secret s on s.key_id = o.key_id
                  where s.id = p_secret and not o.used_at
                    between wedsql.now() - interval '1 minute' and wedsql.now()
                  for update of o skip locked)
$$;
