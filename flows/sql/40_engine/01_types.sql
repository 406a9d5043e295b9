-- A step is what one commit does to one instance: the new state and all that decides what follows from it.
do $$
begin
  if to_regtype('wedsql.step') is null then
    create type wedsql.step as (
      wid integer, fresh boolean, job_id bigint, tgid integer, trw text, cause_seq integer, actor text,
      reason text,
      state jsonb, before jsonb, matched integer[], errors jsonb, claim bigint);
  end if;
  if to_regtype('wedsql.situation') is null then
    -- What a decision depends on besides the rules. matched: the rules whose conditions hold; jobs, parked:
    -- those that have a job, without the finished one; timers: rule -> when its timer is due; fired: those of
    -- fire_once that have fired before; violated: the integrity conditions that the state violates; policy:
    -- final_when_pending, null in a re-match; failed: whether a condition could not be computed.
    create type wedsql.situation as (
      fresh boolean, state jsonb, matched integer[], failed boolean, jobs integer[], parked integer[],
      reason text, timers jsonb, fired integer[], skipped integer[], violated integer[], policy text,
      at timestamptz);
    -- What follows: acting has the rules that no option holds back, timers those that wait afterwards.
    create type wedsql.decision as (
      status "char", reason text, acting integer[], fires integer[], withdrawn integer[],
      suppressed integer[], timers jsonb);
  end if;
  if to_regtype('wedsql.taken') is null then
    create type wedsql.taken as (
      job_id bigint, wid integer, tgid integer, trname text, claim bigint, payload jsonb, state jsonb,
      matched integer[], timeout interval, deadline timestamptz, attempts integer, reads text[],
      writes text[],
      version integer, mode text);
  end if;
end $$;
