-- The oldest due_at of users who are due. If a long transaction elsewhere keeps dead rows, the head of the index is
-- full of dead entries, and claims start their walks after them. $1 the policy's now, $2 ranges, $3 most rows. One row:
-- how many were read, the oldest due_at of them.
select count(*), min(due_at)
from (
    select due_at from nudged.person
    where uuid_hash(user_id) >> 26 = any ($2::integer[]) and due_at <= $1
    limit $3
) as due
