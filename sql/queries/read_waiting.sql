-- Users with touches that no sweep has drained, in the order of user_id. The next sweep makes them due. $1 after this
-- user, $2 due up to, $3 most users.
-- Rows: user_id, whether they have a row that is due by then anyway.
with waiting as materialized (
    select user_id from nudged.touched where user_id > $1 group by user_id order by user_id limit $3
),
due as materialized (
    select user_id from nudged.person where user_id = any (array(select user_id from waiting)) and due_at <= $2
)
select user_id, (user_id in (select user_id from due)) is true from waiting order by user_id
