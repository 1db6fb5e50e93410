-- Open intents of members that have ended. It also deletes empty rows whose minute is over (withdraw_intents.sql). $1
-- most, $2 intents that are left for a while.
-- Rows: intent, its users who are not recorded yet. In random order, so that daemons that recover at once rarely meet.
with past as (
    delete from nudged.intent where withdrawn_until < statement_timestamp()
)
select i.id, array(select distinct o.user_id from unnest(i.user_ids) as o (user_id) where o.user_id <> all (i.settled))
from nudged.intent i
where i.member is null and i.withdrawn_until is null and i.id <> all ($2)
order by random()
limit $1
