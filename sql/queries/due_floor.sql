-- How old the oldest is who is due. A long transaction elsewhere keeps dead rows: then the head of the index is full of entries that say nothing, and the
-- claims' walks start behind them. $1 the policy's now, $2 ranges, $3 most rows. One row: how many were read, the oldest of them.
select count(*), min(due_at)
from (
    select due_at from nudged.person
    where uuid_hash(user_id) >> 26 = any ($2::integer[]) and due_at <= $1
    limit $3
) as due
