-- Gives users back unchanged: they were claimed, and nothing was decided or written. $1 lease id, $2 users.
-- An index scan by a list goes in the order of user_id, like every other writer that waits: two daemons can't deadlock.
update nudged.person set lease_id = null, lease_until = null
where user_id = any ($2) and lease_id = $1
