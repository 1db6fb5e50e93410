-- Gives users back unchanged: they were claimed, and nothing was decided or written. $1 lease id, $2 users.
-- Locked in the order of user_id, like every other writer that waits: two daemons can't deadlock.
with mine as materialized (
    select user_id from nudged.person
    where user_id = any ($2) and lease_id = $1
    order by user_id
    for update
)
update nudged.person p set lease_id = null, lease_until = null
from mine
where p.user_id = mine.user_id and p.lease_id = $1
