-- Reminders that restore_users.sql would mark. It locks nothing. $1 from this user on, $2 the policy's now, $3 about
-- how many reminders to read: the last user's are all read.
-- One row: reminders that are dropped, their users, when the earliest and the latest are due (wall times as if in UTC),
-- how many of them are fan-outs, how many more may be dropped, and the first user of the next page (null: none).
-- A wall time has passed in all zones 12 hours after it has in UTC. Before, it depends on the user's zone.
with first as materialized (
    select user_id from nudged.occurrence where user_id >= $1 order by user_id limit $3
),
last as materialized (
    select user_id from first order by user_id desc limit 1
),
passed as materialized (
    select
        user_id, is_fan_out, coalesce(due_at, due_local at time zone 'UTC') as at,
        coalesce(due_at, (due_local + interval '12 hours') at time zone 'UTC') < $2 as is_due
    from nudged.occurrence
    where user_id >= $1 and user_id <= (select user_id from last) and wakes_at < $2
)
select
    count(*) filter (where is_due), count(distinct user_id) filter (where is_due),
    min(at) filter (where is_due), max(at) filter (where is_due),
    count(*) filter (where is_due and is_fan_out), count(*) filter (where not is_due),
    (select user_id from nudged.occurrence where user_id > (select user_id from last) order by user_id limit 1)
from passed
