-- Lets kinds be sent again. Users who were held meanwhile are made due page by page (wake_users.sql). $1 kinds.
-- Rows: kind, since, held_since, by_whom, reason, resumed_at, of those that were paused or are still being resumed.
update nudged.paused set resumed_at = coalesce(resumed_at, clock_timestamp())
where kind = any ($1)
returning kind, since, held_since, by_whom, reason, resumed_at
