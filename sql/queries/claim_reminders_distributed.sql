-- As claim_reminders_bounded.sql, for distributed tables, which refuse a LIMIT for each user. All reminders of these
-- users are read, on their machines. Parameters and rows are the same, but $4 has no effect.
select
    user_id, id, reminder_id, author_id, subject_type, subject_id, title, body, due_at, due_local at time zone 'UTC', timezone,
    is_own, recurrence, number, first_at, first_local at time zone 'UTC', planned_local at time zone 'UTC', restored_at, wakes_at,
    (apns - 'data')::text, ((apns -> 'data') - 'conversation_id' - 'domain')::text, apns #>> '{data,conversation_id}', apns #>> '{data,domain}', is_fan_out
from (
    select o.*, row_number() over (partition by o.user_id, o.wakes_at > $2, o.due_at is null order by o.wakes_at) as place
    from nudged.occurrence o
    where o.user_id = any ($1) and not o.is_fan_out
) w
where place <= case when wakes_at <= $2 then $3 else 1 end and $4::bigint is not null
order by place
limit $5
