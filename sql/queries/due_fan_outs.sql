-- Fan-outs that are due, the earliest first, and whether their reminders exist. $1 the policy's now, $2 ids that are
-- left for a while, $3 most rows. Locks nothing. Wall times are returned as if they were in UTC.
select
    o.user_id, o.id, o.reminder_id, o.author_id, o.subject_type, o.subject_id, o.title, o.body, o.due_at, o.due_local at time zone 'UTC', o.timezone,
    o.is_own, o.recurrence, o.number, o.first_at, o.first_local at time zone 'UTC', o.planned_local at time zone 'UTC', o.restored_at, o.wakes_at,
    (o.apns - 'data')::text, ((o.apns -> 'data') - 'conversation_id' - 'domain')::text, o.apns #>> '{data,conversation_id}', o.apns #>> '{data,domain}',
    o.fan_out_after, exists (select 1 from nudged.reminder r where r.user_id = o.user_id and r.id = o.reminder_id)
from nudged.occurrence o
where o.is_fan_out and o.wakes_at <= $1 and o.id <> all ($2)
order by o.wakes_at
limit $3
