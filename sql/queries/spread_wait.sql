-- A wall time in one zone for all is one instant: then it waits for that. The row is held (spread_hold.sql). $1 author, $2 occurrence, $3 the instant.
-- What the series counts from stays.
update nudged.occurrence set due_at = $3, due_local = null where user_id = $1 and id = $2
