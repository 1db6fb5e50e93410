-- name: due_fan_outs
-- Fan-outs that are due, the earliest first, and whether their reminders exist. $1 the policy's now, $2 ids that are
-- left for a while, $3 most rows. Locks nothing. Wall times are returned as if they were in UTC.
select
    o.user_id, o.id, o.reminder_id, o.author_id, o.subject_type, o.subject_id, o.title, o.body, o.due_at, o.due_local at time zone 'UTC', o.timezone,
    o.is_own, o.recurrence, o.number, o.first_at, o.first_local at time zone 'UTC', o.planned_local at time zone 'UTC', o.restored_at, o.wakes_at,
    (o.apns - 'data')::text, ((o.apns -> 'data') - 'conversation_id' - 'domain')::text, o.apns #>> '{data,conversation_id}', o.apns #>> '{data,domain}',
    o.fan_out_after, exists (select 1 from nudged.reminder r where r.user_id = o.user_id and r.id = o.reminder_id)
from nudged.occurrence o where o.is_fan_out and o.wakes_at <= $1 and o.id <> all ($2) order by o.wakes_at limit $3

-- name: fan_out_hold
-- Locks a fan-out for its next page. No row comes if another daemon has it locked or was faster. No row comes either if
-- the reminder is being set, cancelled or snoozed: those calls lock the reminder or the row first. It waits for nobody.
-- $1 author, $2 occurrence, $3 the last member who has a row (null: none). All is in the author's shard.
select o.id
from nudged.occurrence o join nudged.reminder r on r.user_id = o.user_id and r.id = o.reminder_id
where o.user_id = $1 and o.id = $2 and o.fan_out_after is not distinct from $3 for update of o skip locked for share of r skip locked

-- name: fan_out_wait
-- Gives a fan-out an instant, if its wall time is in one zone for all. It then waits for that instant. The series' first
-- time stays. The fan-out is locked (`fan_out_hold`). $1 author, $2 occurrence, $3 the instant.
update nudged.occurrence set due_at = $3, due_local = null where user_id = $1 and id = $2

-- name: fan_out_members
-- The next members of a subject, each once. $1 subject type, $2 subject id, $3 after this member (null: from the first
-- on), $4 most rows, $5 up to this member (null: all), $6 members who are left out.
select distinct user_id from nudged.subject_member
where subject_type = $1 and subject_id = any (nudged.subject_spellings($2)) and user_id is not null and ($3::uuid is null or user_id > $3)
  and ($5::uuid is null or user_id <= $5) and user_id <> all ($6)
order by user_id limit $4

-- name: fan_out_recipients
-- Which of these members exist, locked until the page's commit. No user is told while they are erased. $1 members.
select user_id from nudged.hold_recipients($1) as r (user_id)

-- name: fan_out_tell
-- Inserts a row and a touch for each member. The fan-out is locked (`fan_out_hold`). $1 author, $2 occurrence, $3 members.
with told as (
    insert into nudged.occurrence (
        user_id, id, reminder_id, author_id, subject_type, subject_id, title, body, apns, due_at, due_local, timezone, is_own, number, restored_at
    )
    select
        m.user_id, (left(o.reminder_id::text, 18) || substr(md5(o.id::text || m.user_id::text)::uuid::text, 19))::uuid, o.reminder_id, o.author_id,
        o.subject_type, o.subject_id, o.title, o.body, o.apns, o.due_at, o.due_local, o.timezone, m.user_id = o.author_id, o.number, o.restored_at
    from nudged.occurrence o cross join unnest($3::uuid[]) as m (user_id) where o.user_id = $1 and o.id = $2
)
insert into nudged.touched (user_id, arrival) select m.user_id, true from unnest($3::uuid[]) as m (user_id)

-- name: fan_out_advance
-- Notes that a fan-out's page is done and more follow. $1 author, $2 occurrence, $3 the last member who has a row.
update nudged.occurrence set fan_out_after = $3 where user_id = $1 and id = $2

-- name: fan_out_drop
-- Ends a fan-out whose reminder does not exist any more, and records that. (A snooze at the moment of the cancellation
-- leaves such a row.) $1 author, $2 occurrence, $3 the policy's now.
with gone as (
    delete from nudged.occurrence o
    where o.user_id = $1 and o.id = $2
      and not exists (select 1 from nudged.reminder r where r.user_id = o.user_id and r.id = o.reminder_id)
    returning o.user_id, o.id
)
insert into nudged.delivery (user_id, kind, key, device_hash, outcome, reason, attempted_at, sweep_id)
select user_id, 'reminder', id::text, '', 'dropped', 'cancelled', $3, '00000000-0000-0000-0000-000000000000' from gone

-- name: fan_out_member
-- Whether a user is a member of a subject. $1 subject type, $2 subject id, $3 user.
select exists (select 1 from nudged.subject_member where subject_type = $1 and subject_id = any (nudged.subject_spellings($2)) and user_id = $3)

-- name: waiting_fan_outs
-- Fan-outs that could have been due a minute ago and are not finished: the first of them, and how many ($1: at least so
-- many). A wall time can be due fourteen hours before the same time in UTC. Rows: one, or none.
with waiting as materialized (
    select wakes_at, reminder_id, subject_type, subject_id from nudged.occurrence
    where is_fan_out and wakes_at <= statement_timestamp() - interval '1 minute' order by wakes_at limit $1
)
select (select count(*) from waiting), w.wakes_at, w.reminder_id, w.subject_type, w.subject_id from waiting w order by w.wakes_at limit 1
