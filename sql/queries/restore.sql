-- name: restore_touches
-- After a restore from a backup: takes the touches that the backup holds, as `drain` does. Nothing older than now is
-- sent to their users. Users who may be in a daemon's hands keep one touch, so that no earlier decision is carried out.
-- Its deletion waits for a drain under way. So every user of an older touch has a row when `restore_users` begins. $1
-- the policy's now, $2 most touches. One row: touches taken, and whether there were any when it began.
with waiting as materialized (select user_id, id from nudged.touched where at < $1 order by user_id, id limit $2),
taken as (delete from nudged.touched t using waiting w where t.user_id = w.user_id and t.id = w.id returning t.user_id),
users as materialized (select distinct user_id from taken),
-- As in `drain`: a user about whom the app has nothing (erased) gets no row.
persons as materialized (select user_id, due_at from nudged.person where user_id = any (array(select user_id from users))),
fenced as (insert into nudged.touched (user_id, at) select user_id, $1 from persons where due_at <= greatest($1, statement_timestamp() + interval '1 second')),
strangers as materialized (select user_id from users where (user_id in (select user_id from persons)) is not true),
known as materialized (
    select user_id from persons
    union all select user_id from nudged.recipient where user_id = any (array(select user_id from strangers))
    union all select user_id from nudged.device where user_id = any (array(select user_id from strangers))
    union all select user_id from nudged.message where user_id = any (array(select user_id from strangers))
    union all select user_id from nudged.occurrence where user_id = any (array(select user_id from strangers))
),
woken as (
    insert into nudged.person as p (user_id, due_at, touched_at, since)
    select user_id, $1, $1, $1 from users where (user_id in (select user_id from known)) is true
    order by user_id
    on conflict (user_id) do update set
        version = (p.version | 4294967295) + 1, due_at = least(p.due_at, excluded.due_at),
        touched_at = greatest(p.touched_at, excluded.touched_at), since = greatest(p.since, excluded.since)
    returning 1
)
select (select count(*) from taken), exists (select 1 from nudged.touched where at < $1)

-- name: restore_users
-- After a restore from a backup: nothing older than now is sent to these users, and all are evaluated again. $1 the
-- policy's now, $2 from this user on, $3 most users. One row: users; messages dropped, their users, when the oldest and
-- the newest were created; the six numbers of `restore_reminders`; the first user of the next page (null: none). What
-- was left of a nudge may have been sent since the backup, so it is recorded as skipped, device by device. `since`
-- closes every earlier slot. It survives the next decision. With the same fingerprint it stays. Without one it counts
-- before the devices' registrations. With another one `touched_at` takes its place, which is no older. The version
-- rises, and users who may be in a daemon's hands get a touch, so that no earlier decision is carried out.
with page as materialized (select user_id from nudged.person where user_id >= $2 order by user_id limit $3 + 1),
-- In the order of user_id, like all writers that wait for locks, to avoid deadlocks with a daemon.
mine as materialized (
    select p.user_id, p.retry, p.due_at from nudged.person p
    where p.user_id in (select user_id from page order by user_id limit $3) order by p.user_id for update of p
),
restored as (
    update nudged.person p set
        version = (p.version | 4294967295) + 1, due_at = least(p.due_at, $1), since = greatest(p.since, $1),
        touched_at = greatest(p.touched_at, $1), retry = null
    from mine where p.user_id = mine.user_id returning 1
),
fenced as (insert into nudged.touched (user_id) select user_id from mine where due_at <= greatest($1, statement_timestamp() + interval '1 second')),
-- A lone check-in is stored without an array.
retries as materialized (
    select m.user_id, r.retry from mine m
    cross join lateral jsonb_array_elements(case jsonb_typeof(m.retry) when 'array' then m.retry when 'object' then jsonb_build_array(m.retry) else '[]' end) as r (retry)
),
recorded as (
    insert into nudged.delivery (user_id, kind, key, slot, device_hash, outcome, reason, attempted_at, sweep_id)
    select
        user_id, 'check_in', slot,
        -- Days are added, so that an invalid date becomes another date and no error.
        (left(slot, 8) || '01')::date + (right(slot, 2)::integer - 1), device, 'skipped', 'restored', $1, '00000000-0000-0000-0000-000000000000'
    from (
        select m.user_id, m.retry ->> 'slot' as slot, l ->> 'device' as device from retries m
        cross join lateral jsonb_array_elements(case when jsonb_typeof(m.retry -> 'left') = 'array' then m.retry -> 'left' else '[]' end) as l
        where m.retry ->> 'slot' ~ '^[1-9][0-9]{3}-(0[1-9]|1[0-2])-[0-9]{2}$'
    ) as rest where device is not null
),
-- Reminders that may have been due may have been sent since the backup. The daemon drops them; their series go on.
passed as (
    update nudged.occurrence o set restored_at = $1
    where o.user_id in (select user_id from mine) and o.wakes_at < $1
    returning o.user_id, o.is_fan_out, coalesce(o.due_at, o.due_local at time zone 'UTC') as at,
        coalesce(o.due_at, (o.due_local + interval '12 hours') at time zone 'UTC') < $1 as is_due
),
-- Messages that are older than now may have been sent since the backup. Those for a later time were not.
dropped as (
    delete from nudged.message m
    where m.user_id in (select user_id from mine) and coalesce(m.wakes_at, m.created_at) < $1 returning m.user_id, m.id, m.created_at
),
ended as (
    insert into nudged.delivery (user_id, kind, key, device_hash, outcome, reason, attempted_at, sweep_id)
    select user_id, 'message', id::text, '', 'dropped', 'restored', $1, '00000000-0000-0000-0000-000000000000' from dropped
)
select (select count(*) from restored), messages.*, reminders.*, (select user_id from page order by user_id offset $3)
from (select count(*), count(distinct user_id), min(created_at), max(created_at) from dropped) as messages
cross join (
    select
        count(*) filter (where is_due), count(distinct user_id) filter (where is_due),
        min(at) filter (where is_due), max(at) filter (where is_due),
        count(*) filter (where is_due and is_fan_out), count(*) filter (where not is_due)
    from passed
) as reminders

-- name: restore_messages
-- Messages that `restore_users` would drop. It locks nothing. $1 from this user on, $2 the policy's now, $3 about how
-- many messages to read: the last user's are all read. One row: messages, their users, when the oldest and the newest
-- were created, and the first user of the next page (null: none).
with first as materialized (select user_id from nudged.message where user_id >= $1 order by user_id limit $3),
last as materialized (select user_id from first order by user_id desc limit 1)
select
    count(*), count(distinct user_id), min(created_at), max(created_at),
    (select user_id from nudged.message where user_id > (select user_id from last) order by user_id limit 1)
from nudged.message where user_id >= $1 and user_id <= (select user_id from last) and coalesce(wakes_at, created_at) < $2

-- name: restore_reminders
-- Reminders that `restore_users` would mark. It locks nothing. $1 from this user on, $2 the policy's now, $3 about
-- how many reminders to read: the last user's are all read.
-- One row: reminders that are dropped, their users, when the earliest and the latest are due (wall times as if in UTC),
-- how many of them are fan-outs, how many more may be dropped, and the first user of the next page (null: none).
-- A wall time has passed in all zones 12 hours after it has in UTC. Before, it depends on the user's zone.
with first as materialized (select user_id from nudged.occurrence where user_id >= $1 order by user_id limit $3),
last as materialized (select user_id from first order by user_id desc limit 1),
passed as materialized (
    select
        user_id, is_fan_out, coalesce(due_at, due_local at time zone 'UTC') as at,
        coalesce(due_at, (due_local + interval '12 hours') at time zone 'UTC') < $2 as is_due
    from nudged.occurrence where user_id >= $1 and user_id <= (select user_id from last) and wakes_at < $2
)
select
    count(*) filter (where is_due), count(distinct user_id) filter (where is_due),
    min(at) filter (where is_due), max(at) filter (where is_due),
    count(*) filter (where is_due and is_fan_out), count(*) filter (where not is_due),
    (select user_id from nudged.occurrence where user_id > (select user_id from last) order by user_id limit 1)
from passed

-- name: restore_newcomers
-- Users with touches who have no row in nudged.person: `restore_touches` makes their rows. It locks nothing. $1 from
-- this user on, $2 most users of a page. One row: how many, and the first user of the next page (null: none).
-- A user who was erased a moment ago is counted too.
with page as materialized (select user_id from nudged.touched where user_id >= $1 group by user_id order by user_id limit $2 + 1),
persons as materialized (select user_id from nudged.person where user_id = any (array(select user_id from page)))
select
    (select count(*) from (select user_id from page order by user_id limit $2) as users where (user_id in (select user_id from persons)) is not true),
    (select user_id from page order by user_id offset $2)

-- name: restore_intents
-- Pushes in flight of members whose lease has ended, and of orphans: after a restore they are recorded as unknown. It
-- locks nothing. There are at most as many as daemons may have in flight. One row: pushes.
select coalesce(sum(i.open), 0)::bigint
from nudged.intent i
where i.withdrawn_until is null and (i.member is null or i.member not in (select member from nudged.lease where alive_until > statement_timestamp()))
