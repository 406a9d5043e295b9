-- The schemas of the kernel; separate from the roles, because a restored dump brings its own schemas.
do $$
begin
  if not exists (select 1 from pg_catalog.pg_namespace where nspname = 'wedsql') then
    create schema wedsql authorization wed_owner;
  end if;
  if (select nspowner from pg_catalog.pg_namespace where nspname = 'wedsql') <> 'wed_owner'::regrole then
    alter schema wedsql owner to wed_owner;
  end if;
  if not exists (select 1 from pg_catalog.pg_namespace where nspname = 'wed_match') then
    create schema wed_match authorization wed_eval;
  end if;
  execute pg_catalog.format('grant all on schema wedsql to %I', current_user);
end $$;
grant usage on schema wedsql to wed_web, wed_worker, wed_reaper, wed_monitor, wed_eval, wed_view;
grant usage on schema wed_match to wed_owner;
