-- Claimed users' reminders that can be due by $2, at most $3 of each user, and the next one after that: it says when to look again. Read once the users'
-- rows are ours, in the same transaction. $1 users. A spread tells nobody (spread.sql): it is not read here.
-- Wall times come as if they were UTC's.
select
    u.user_id, w.id, w.reminder_id, w.author_id, w.subject_type, w.subject_id, w.title, w.body, w.due_at, w.due_local at time zone 'UTC', w.timezone,
    w.is_own, w.recurrence, w.number, w.first_at, w.first_local at time zone 'UTC', w.planned_local at time zone 'UTC', w.restored_at, w.wakes_at
from unnest($1::uuid[]) as u (user_id)
cross join lateral (
    (
        select * from nudged.occurrence o where o.user_id = u.user_id and o.wakes_at <= $2 and not o.is_spread
        order by o.wakes_at limit $3
    )
    union all
    (
        select * from nudged.occurrence o where o.user_id = u.user_id and o.wakes_at > $2 and not o.is_spread
        order by o.wakes_at limit 1
    )
) w
