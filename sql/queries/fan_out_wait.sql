-- Gives a fan-out an instant, if its wall time is in one zone for all. It then waits for that instant. The fan-out is
-- locked (fan_out_hold.sql). $1 author, $2 occurrence, $3 the instant.
-- The series' first time stays.
update nudged.occurrence set due_at = $3, due_local = null where user_id = $1 and id = $2
