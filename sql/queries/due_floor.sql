-- How old the oldest is who is due, free or not. Where a long transaction elsewhere keeps dead rows, the head of the index is full of entries that say nothing;
-- the claims' walks start behind them. $1 the policy's now, $2 all ranges of the claim's index, $3 most rows. One row: how many were read, the oldest of them.
select count(*), min(due_at)
from (
    select due_at from nudged.person
    where uuid_hash(user_id) >> 26 = any ($2::integer[]) and due_at <= $1
    limit $3
) as due
