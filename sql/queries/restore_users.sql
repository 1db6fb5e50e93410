-- After a restore from a backup: nothing older than now is sent to these users, and all are evaluated again. $1 the
-- policy's now, $2 from this user on, $3 most users.
-- One row: users; messages dropped, their users, when the oldest and the newest were created; the six numbers of
-- restore_reminders.sql; the first user of the next page (null: none).
-- What was left of a nudge may have been sent since the backup, so it is recorded as skipped, device by device. `since`
-- closes every earlier slot. It survives the next decision. With the same fingerprint it stays. Without one it counts
-- before the devices' registrations. With another one `touched_at` takes its place, which is no older.
-- The version rises, so that no earlier decision is carried out.
with page as materialized (
    select user_id from nudged.person where user_id >= $2 order by user_id limit $3 + 1
),
-- In the order of user_id, like all writers that wait for locks, to avoid deadlocks with a daemon.
mine as materialized (
    select p.user_id, p.retry from nudged.person p
    where p.user_id in (select user_id from page order by user_id limit $3)
    order by p.user_id
    for update of p
),
restored as (
    update nudged.person p set
        version = (p.version | 4294967295) + 1,
        due_at = least(p.due_at, $1),
        since = greatest(p.since, $1),
        touched_at = greatest(p.touched_at, $1),
        retry = null
    from mine
    where p.user_id = mine.user_id
    returning 1
),
-- A lone check-in is stored without an array.
retries as materialized (
    select m.user_id, r.retry
    from mine m
    cross join lateral jsonb_array_elements(case jsonb_typeof(m.retry) when 'array' then m.retry when 'object' then jsonb_build_array(m.retry) else '[]' end) as r (retry)
),
recorded as (
    insert into nudged.delivery (user_id, kind, key, slot, device_hash, outcome, reason, attempted_at, sweep_id)
    select
        user_id, 'check_in', slot,
        -- Days are added, so that an invalid date becomes another date and no error.
        (left(slot, 8) || '01')::date + (right(slot, 2)::integer - 1), device, 'skipped', 'restored', $1, '00000000-0000-0000-0000-000000000000'
    from (
        select m.user_id, m.retry ->> 'slot' as slot, l ->> 'device' as device
        from retries m
        cross join lateral jsonb_array_elements(case when jsonb_typeof(m.retry -> 'left') = 'array' then m.retry -> 'left' else '[]' end) as l
        where m.retry ->> 'slot' ~ '^[1-9][0-9]{3}-(0[1-9]|1[0-2])-[0-9]{2}$'
    ) as rest
    where device is not null
    on conflict do nothing
),
-- Reminders that may have been due before now may have been sent since the backup. The daemon drops those that were
-- due, and goes on with their series.
passed as (
    update nudged.occurrence o set restored_at = $1
    where o.user_id in (select user_id from mine) and o.wakes_at < $1
    returning
        o.user_id, o.is_fan_out, coalesce(o.due_at, o.due_local at time zone 'UTC') as at,
        coalesce(o.due_at, (o.due_local + interval '12 hours') at time zone 'UTC') < $1 as is_due
),
-- Messages that are older than now may have been sent since the backup. Those for a later time were not.
dropped as (
    delete from nudged.message m
    where m.user_id in (select user_id from mine) and coalesce(m.wakes_at, m.created_at) < $1
    returning m.user_id, m.id, m.created_at
),
ended as (
    insert into nudged.delivery (user_id, kind, key, device_hash, outcome, reason, attempted_at, sweep_id)
    select user_id, 'message', id::text, '', 'dropped', 'restored', $1, '00000000-0000-0000-0000-000000000000' from dropped
    on conflict do nothing
)
select
    (select count(*) from restored), messages.*, reminders.*, (select user_id from page order by user_id offset $3)
from (select count(*), count(distinct user_id), min(created_at), max(created_at) from dropped) as messages
cross join (
    select
        count(*) filter (where is_due), count(distinct user_id) filter (where is_due),
        min(at) filter (where is_due), max(at) filter (where is_due),
        count(*) filter (where is_due and is_fan_out), count(*) filter (where not is_due)
    from passed
) as reminders
