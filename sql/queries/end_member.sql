-- Ends a membership: the foreign keys free its ranges and make its open intents orphans. $1 member, $2 true if its
-- lease has ended (nothing happens if it was renewed), false if it leaves (nothing happens if an intent is open). One
-- row: whether the membership has ended.
with gone as (
    delete from nudged.member m
    where m.id = $1
      and case when $2
          then not exists (select 1 from nudged.lease l where l.member = $1 and l.alive_until > statement_timestamp())
          else not exists (select 1 from nudged.intent i where i.member = $1 and i.withdrawn_until is null)
      end
    returning 1
)
select exists (select 1 from gone) or not exists (select 1 from nudged.member where id = $1)
