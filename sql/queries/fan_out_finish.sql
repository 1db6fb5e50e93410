-- Ends a fan-out after its last page, and inserts the next one of its series. $1 author, $2 occurrence, $3 the next one
-- (an array as in end_reminders.sql, or null).
with over as (
    delete from nudged.occurrence o where o.user_id = $1 and o.id = $2 returning o.*
)
insert into nudged.occurrence (
    user_id, id, reminder_id, author_id, subject_type, subject_id, title, body, apns, due_at, due_local, timezone, is_fan_out, is_own, recurrence, number,
    first_at, first_local, planned_local
)
select
    o.user_id, (left(o.reminder_id::text, 18) || substr(md5(o.id::text)::uuid::text, 19))::uuid, o.reminder_id, o.author_id, o.subject_type, o.subject_id, o.title, o.body, o.apns, n.due_at, n.due_local, o.timezone, true, o.is_own, o.recurrence,
    n.number, n.first_at, n.first_local, n.planned_local
from over o
join jsonb_to_recordset($3::jsonb) as n (
    user_id uuid, id uuid, number integer, first_at timestamptz, first_local timestamp, planned_local timestamp, due_at timestamptz, due_local timestamp
) on n.user_id = o.user_id and n.id = o.id
