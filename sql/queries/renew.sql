-- Holds users longer who wait for free streams. $1 lease id, $2 users, $3 lease in milliseconds. Rows: users still ours.
-- An index scan by a list goes in the order of user_id, like every other writer that waits: two daemons can't deadlock.
update nudged.person set lease_until = statement_timestamp() + $3 * interval '1 millisecond'
where user_id = any ($2) and lease_id = $1 and lease_until > statement_timestamp()
returning user_id
