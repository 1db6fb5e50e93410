-- One user's record between two instants, the newest first. $1 user, $2 from, $3 up to, $4 most rows.
-- Rows: kind, key, slot, device hash, apns-id, outcome, reason, status, attempted_at, decision.
select kind, key, slot, device_hash, apns_id, outcome, reason, status, attempted_at, decision::text
from nudged.delivery
where user_id = $1 and attempted_at between $2 and $3
order by attempted_at desc, kind, key, device_hash
limit $4
