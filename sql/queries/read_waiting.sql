-- Users of changes that no sweep has seen yet, in the order of user_id: they are due with the next one. $1 after this user, $2 due up to, $3 most users.
-- Rows: user_id, whether they have a row that is due by then anyway.
select t.user_id, exists (select 1 from nudged.person p where p.user_id = t.user_id and p.due_at <= $2)
from (
    select user_id from nudged.touched where user_id > $1 group by user_id order by user_id limit $3
) as t
order by t.user_id
