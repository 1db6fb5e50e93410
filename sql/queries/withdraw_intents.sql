-- Takes the place of intents that may or may not have been committed: the connection was lost, or the answer came too
-- late. It waits for a commit under way, as any unique key does. A commit that comes later finds the place taken and
-- fails. The empty row is deleted after a minute (orphans.sql).
-- $1 intents, $2 member, $3 sweep id.
insert into nudged.intent (
    id, member, sweep_id, attempted_at, user_ids, kinds, keys, slots, device_hashes, apns_ids, retries, counted, nudges, ends, templates, withdrawn_until
)
select
    i.id, $2, $3, statement_timestamp(), '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', statement_timestamp() + interval '1 minute'
from unnest($1::uuid[]) as i (id)
order by i.id
on conflict (id) do nothing
