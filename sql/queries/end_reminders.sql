-- Deletes reminders that ended, and inserts the next ones of their series. Parallel: $1 user, $2 id. $3 the next ones:
-- a JSON array of objects with user_id, id (of the one that ended), number, planned_local, first_at or first_local,
-- due_at or due_local; or null.
-- The next one's id begins with the reminder's (nudged.occurrence_id). No volatile function makes it, since Citus
-- refuses those.
-- If the reminder was cancelled meanwhile, its next one is inserted all the same, and dropped when it is due
-- (live_reminders.sql).
with over as (
    delete from nudged.occurrence o using unnest($1::uuid[], $2::uuid[]) as e (user_id, id)
    where o.user_id = e.user_id and o.id = e.id
    returning o.*
)
insert into nudged.occurrence (
    user_id, id, reminder_id, author_id, subject_type, subject_id, title, body, apns, due_at, due_local, timezone, is_own, recurrence, number,
    first_at, first_local, planned_local
)
select
    o.user_id, (left(o.reminder_id::text, 18) || substr(md5(o.id::text)::uuid::text, 19))::uuid, o.reminder_id, o.author_id, o.subject_type, o.subject_id, o.title, o.body, o.apns, n.due_at, n.due_local, o.timezone, o.is_own, o.recurrence,
    n.number, n.first_at, n.first_local, n.planned_local
from jsonb_to_recordset($3::jsonb) as n (
    user_id uuid, id uuid, number integer, first_at timestamptz, first_local timestamp, planned_local timestamp, due_at timestamptz, due_local timestamp
)
join over o on o.user_id = n.user_id and o.id = n.id
