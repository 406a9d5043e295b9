-- The secret with which a person's devices encrypt packages and results that they save as files: the same on
-- all devices of the person, so that each can open what another one has saved.
alter table wedsql.device add column if not exists files_secret bytea;
update wedsql.device d set files_secret = sha256('files'::bytea || f.secret)
from (select distinct on (o.person) o.person, o.secret from wedsql.device o order by o.person, o.id) f
where f.person = d.person and d.files_secret is null;
alter table wedsql.device alter column files_secret set not null;
