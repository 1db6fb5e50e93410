-- Gives users back whose rows can't be read, to be asked again at $3, so that they don't come up in each sweep. $1 lease id, $2 users.
update nudged.person set lease_id = null, lease_until = null, due_at = $3
where user_id = any ($2) and lease_id = $1
