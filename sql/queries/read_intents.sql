-- Open pushes of one user: they are being sent, or their daemon has died. $1 user.
-- Rows, one per device and message: intent, whether its member exists, attempted_at, kind, key, slot, device hash,
-- retry, counted, which of the user's nudges, whether the message ends with it, template, whether the user is settled
-- (then it is not open for them).
select
    i.id, i.member is not null, i.attempted_at, d.kind, d.key, d.slot, d.device_hash, d.retry, d.counted, d.nudge, d.ends, d.template,
    d.user_id = any (i.settled)
from nudged.intent i
cross join lateral unnest(i.user_ids, i.kinds, i.keys, i.slots, i.device_hashes, i.retries, i.counted, i.nudges, i.ends, i.templates)
    as d (user_id, kind, key, slot, device_hash, retry, counted, nudge, ends, template)
where i.user_ids @> array[$1::uuid] and d.user_id = $1
order by i.attempted_at, i.id, d.nudge, d.key, d.device_hash
