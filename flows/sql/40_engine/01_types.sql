-- A step is what one commit does to one instance: the new state and all that decides what follows from it.
do $$
begin
  if to_regtype('wedsql.step') is null then
    create type wedsql.step as (
      wid integer, fresh boolean, job_id bigint, tgid integer, trw text, cause_seq integer, actor text,
      reason text,
      state jsonb, before jsonb, matched integer[], errors jsonb, claim bigint);
  end if;
  if to_regtype('wedsql.taken') is null then
    create type wedsql.taken as (
      job_id bigint, wid integer, tgid integer, trname text, claim bigint, payload jsonb, state jsonb,
      matched integer[], timeout interval, deadline timestamptz, attempts integer, reads text[],
      writes text[],
      version integer, mode text);
  end if;
end $$;
