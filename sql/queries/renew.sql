-- Holds users longer who wait for free streams. $1 lease id, $2 users, $3 lease in milliseconds. Rows: users still ours.
-- Locked in the order of user_id, like every other writer that waits: two daemons can't deadlock.
with mine as materialized (
    select user_id from nudged.person
    where user_id = any ($2) and lease_id = $1 and lease_until > statement_timestamp()
    order by user_id
    for update
)
update nudged.person p set lease_until = statement_timestamp() + $3 * interval '1 millisecond'
from mine
where p.user_id = mine.user_id and p.lease_id = $1
returning p.user_id
