-- Waits for whatever still holds these users' rows under our lease, in a statement of its own: an intent whose commit is under way, though its
-- connection was lost, is then seen by the settlement that withdraws it. $1 lease id, $2 users.
select user_id from nudged.person
where user_id = any ($2) and lease_id = $1
order by user_id
for update
