-- Reminders of claimed users. $1 users, $2 most rows. If so many come, some user has unusually many reminders, and
-- claim_reminders_bounded.sql is run.
-- Fan-outs are among the rows; the daemon skips them. Wall times are returned as if they were in UTC.
select
    user_id, id, reminder_id, author_id, subject_type, subject_id, title, body, due_at, due_local at time zone 'UTC', timezone,
    is_own, recurrence, number, first_at, first_local at time zone 'UTC', planned_local at time zone 'UTC', restored_at, wakes_at,
    (apns - 'data')::text, ((apns -> 'data') - 'conversation_id' - 'domain')::text, apns #>> '{data,conversation_id}', apns #>> '{data,domain}', is_fan_out
from nudged.occurrence
where user_id = any ($1)
limit $2
