-- This installation and the others that it exchanges instances with. Messages are signed and checked outside
-- of the database (envelope.py); only functions for the pages and the reaper read the private key.

-- Returns this installation.
-- Raises: WD620 before it has an identity.
create or replace function wedsql._own_installation() returns wedsql.installation
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_own wedsql.installation;
begin
  select * into v_own from wedsql.installation;
  if not found then
    perform wedsql._raise('WD620', 'This installation has no identity yet.',
      'Create it with: manage.py moves identity NAME.');
  end if;
  return v_own;
end $$;

-- Keeps the identity of this installation unless it has one, and returns it, without the private key. With
-- p_replace a copy of another installation's database becomes an installation of its own.
-- Raises: WD624 to replace it while a move is open.
create or replace function wedsql.keep_installation(p_name text, p_public bytea, p_private bytea,
  p_replace boolean default false) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if p_replace then
    if exists (select from wedsql.move m where m.state in ('offered', 'released', 'held')) then
      perform wedsql._raise('WD624', 'The identity cannot be replaced while an instance is on its way.',
        'Wait until each move is done, or take the instances back.');
    end if;
    delete from wedsql.installation;
  end if;
  insert into wedsql.installation (id, name, public_key, private_key, created_at)
  values (gen_random_uuid(), p_name, p_public, p_private, wedsql.now()) on conflict (one) do nothing;
  return wedsql.installation();
end $$;

-- Returns this installation as its peers register it; null before it has an identity.
create or replace function wedsql.installation() returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('id', o.id, 'name', o.name, 'public_key', encode(o.public_key, 'base64'))
from wedsql.installation o
$$;

-- Returns the private key of this installation, by which the site signs.
-- Raises: WD620.
create or replace function wedsql.installation_key() returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select (wedsql._own_installation()).private_key
$$;

-- Returns another installation by its number or name.
-- Raises: WD620.
create or replace function wedsql._peer(p_peer text) returns wedsql.move_peer
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  v_peer wedsql.move_peer;
begin
  select * into v_peer from wedsql.move_peer p where p.id::text = lower(p_peer) or p.name = p_peer
  order by p.id::text = lower(p_peer) desc limit 1;
  if not found then
    perform wedsql._raise('WD620', 'No installation is registered as "{peer}".',
      'Register it with its number and its public key.', jsonb_build_object('peer', left(p_peer, 100)));
  end if;
  return v_peer;
end $$;

-- Registers another installation, or changes what is registered of it. p_peer: id, name, public_key (base64),
-- url, flows, enabled.
-- Raises: WD009 for a value that cannot be stored, WD620 for this installation itself, a name that another
-- one has, and the 501st installation.
create or replace function wedsql.save_peer(p_peer jsonb, p_actor text) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_id uuid;
begin
  perform wedsql._alone('move peer', null);
  if (select count(*) from wedsql.move_peer p where p.id::text <> p_peer ->> 'id') >= 500 then
    perform wedsql._raise('WD620', 'There are 500 installations already.', 'Remove one first.');
  end if;
  begin
    if p_peer ->> 'id' = (select o.id::text from wedsql.installation o) then
      perform wedsql._raise('WD620', 'That is the number of this installation itself.',
        'Give the number that the other installation shows.');
    end if;
    insert into wedsql.move_peer as p (id, name, public_key, url, flows, enabled, changed_by, changed_at)
    values ((p_peer ->> 'id')::uuid, btrim(p_peer ->> 'name'), decode(p_peer ->> 'public_key', 'base64'),
      nullif(p_peer ->> 'url', ''), array(select distinct f from jsonb_array_elements_text(
        coalesce(p_peer -> 'flows', '[]')) f order by f),
      coalesce((p_peer ->> 'enabled')::boolean, true), wedsql._actor(p_actor), wedsql.now())
    on conflict (id) do update set name = excluded.name, public_key = excluded.public_key,
      url = excluded.url, flows = excluded.flows, enabled = excluded.enabled,
      changed_by = excluded.changed_by, changed_at = excluded.changed_at
    returning p.id into v_id;
  exception
    when unique_violation then
      perform wedsql._raise('WD620', 'Another installation is registered with the name "{name}".',
        'Choose another name.', jsonb_build_object('name', btrim(p_peer ->> 'name')));
    when data_exception or check_violation or not_null_violation then
      perform wedsql._raise('WD009', 'The installation cannot be registered with these values: {problem}.',
        'Give the number and the public key as the other installation shows them, and a name of at most '
        '100 characters.', jsonb_build_object('problem', sqlerrm));
  end;
  return (select wedsql._peer_row(p) from wedsql.move_peer p where p.id = v_id);
end $$;

-- Returns what is shown of another installation; away: how many instances are there, waiting: how many are on
-- their way.
create or replace function wedsql._peer_row(p_peer wedsql.move_peer) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp as $$
select jsonb_build_object('id', p_peer.id, 'name', p_peer.name,
  'public_key', encode(p_peer.public_key, 'base64'), 'url', p_peer.url, 'flows', p_peer.flows,
  'enabled', p_peer.enabled, 'changed_by', p_peer.changed_by, 'changed_at', p_peer.changed_at,
  'away', (select count(*) from (select from wedsql.moved d where d.peer_id = p_peer.id limit 1000) d),
  'waiting', (select count(*) from (select from wedsql.move m where m.peer_id = p_peer.id
              and m.state in ('offered', 'released', 'held') limit 1000) m))
$$;

-- Returns the other installations by name, at most 500.
create or replace function wedsql.peers() returns setof jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
select wedsql._peer_row(p) from wedsql.move_peer p order by p.name limit 500
$$;

-- Removes another installation.
-- Raises: WD620; WD624 while instances are there or on their way.
create or replace function wedsql.remove_peer(p_peer text, p_actor text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_peer wedsql.move_peer := wedsql._peer(p_peer);
begin
  perform wedsql._changing(p_actor);
  perform from wedsql.move_peer p where p.id = v_peer.id for update;
  if exists (select from wedsql.moved d where d.peer_id = v_peer.id)
     or exists (select from wedsql.move m where m.peer_id = v_peer.id
                and m.state in ('offered', 'released', 'held')) then
    perform wedsql._raise('WD624', 'Instances are at "{peer}", or on their way to or from it.',
      'Wait until they are handed back, or disable the installation.',
      jsonb_build_object('peer', v_peer.name));
  end if;
  delete from wedsql.move_peer p where p.id = v_peer.id;
end $$;

grant execute on function
  wedsql.keep_installation(text, bytea, bytea, boolean), wedsql.save_peer(jsonb, text),
  wedsql.remove_peer(text, text)
to wed_web;
grant execute on function wedsql.installation(), wedsql.installation_key(), wedsql.peers()
to wed_web, wed_reaper;
