-- Claimed users' reminders that can be due by $2, at most $3 of each user, and the next one after that: it says when to look again. Read once the users'
-- rows are ours, in the same transaction. $1 users. A spread tells nobody (spread.sql): it is not read here.
-- Instants and wall times have a limit each: a wall time is looked at up to 26 hours before it is due, and as many as the limit of them must not stand before
-- what is due now.
-- Wall times come as if they were UTC's. (No LATERAL with a LIMIT: Citus refuses it across shards.)
select
    user_id, id, reminder_id, author_id, subject_type, subject_id, title, body, due_at, due_local at time zone 'UTC', timezone,
    is_own, recurrence, number, first_at, first_local at time zone 'UTC', planned_local at time zone 'UTC', restored_at, wakes_at
from (
    select o.*, row_number() over (partition by o.user_id, o.wakes_at > $2, o.due_at is null order by o.wakes_at) as place
    from nudged.occurrence o
    where o.user_id = any ($1) and not o.is_spread
) w
where place <= case when wakes_at <= $2 then $3 else 1 end
order by user_id, wakes_at
