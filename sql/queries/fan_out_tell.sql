-- Inserts one row for each of these members, and a touch that makes them due. The fan-out is locked (fan_out_hold.sql).
-- $1 author, $2 occurrence, $3 members.
with told as (
    insert into nudged.occurrence (
        user_id, id, reminder_id, author_id, subject_type, subject_id, title, body, apns, due_at, due_local, timezone, is_own, number, restored_at
    )
    select
        m.user_id, (left(o.reminder_id::text, 18) || substr(md5(o.id::text || m.user_id::text)::uuid::text, 19))::uuid, o.reminder_id, o.author_id,
        o.subject_type, o.subject_id, o.title, o.body, o.apns, o.due_at, o.due_local, o.timezone, m.user_id = o.author_id, o.number, o.restored_at
    from nudged.occurrence o
    cross join unnest($3::uuid[]) as m (user_id)
    where o.user_id = $1 and o.id = $2
)
insert into nudged.touched (user_id, arrival) select m.user_id, true from unnest($3::uuid[]) as m (user_id)
