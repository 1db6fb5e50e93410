-- Messages that restore_users.sql would drop. It locks nothing. $1 from this user on, $2 the policy's now, $3 about how
-- many messages to read: the last user's are all read.
-- One row: messages, their users, when the oldest and the newest were created, and the first user of the next page
-- (null: none).
with first as materialized (
    select user_id from nudged.message where user_id >= $1 order by user_id limit $3
),
last as materialized (
    select user_id from first order by user_id desc limit 1
)
select
    count(*), count(distinct user_id), min(created_at), max(created_at),
    (select user_id from nudged.message where user_id > (select user_id from last) order by user_id limit 1)
from nudged.message
where user_id >= $1 and user_id <= (select user_id from last) and coalesce(wakes_at, created_at) < $2
