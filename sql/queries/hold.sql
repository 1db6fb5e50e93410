-- Waits for whatever still holds these users' rows under our lease, in a statement of its own: an intent whose commit is under way, though its
-- connection was lost, is then seen by the settlement that withdraws it. Writes what is there already, since FOR UPDATE is refused where the table
-- is distributed; rare. $1 lease id, $2 users.
update nudged.person set lease_until = lease_until
where user_id = any ($2) and lease_id = $1
