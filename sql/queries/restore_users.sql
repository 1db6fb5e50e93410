-- After a restore from backup: nothing older than now is sent to these users, and all are asked again. $1 the policy's now, $2 from this user on,
-- $3 most users. One row: users, and the first who is left (null: nobody).
-- What was left of a nudge, device by device, may have been sent since: it is recorded as skipped. `since` closes every slot before it. It survives the next
-- decision: where the fingerprint is the same it stays, where there is none it counts before the devices' registrations,
-- and where it differs `touched_at` takes its place, which is no older.
-- The version rises, so that no decision made before is carried out; leases stay as they are: one that has ended may still have an open intent, which keeps others away.
with page as materialized (
    select user_id from nudged.person where user_id >= $2 order by user_id limit $3 + 1
),
-- In the order of user_id, like every other writer that waits: no deadlock with a daemon.
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
-- One nudge, as older daemons wrote it, or an array of them.
retries as materialized (
    select m.user_id, r.retry
    from mine m
    cross join lateral jsonb_array_elements(case jsonb_typeof(m.retry) when 'array' then m.retry when 'object' then jsonb_build_array(m.retry) else '[]' end) as r (retry)
),
recorded as (
    insert into nudged.delivery (user_id, kind, key, slot, device_hash, outcome, reason, attempted_at, sweep_id)
    select
        user_id, 'check_in', slot,
        -- Days are added, so that a date that a hand has spoilt is another date and no error.
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
-- Messages of before may have been sent since.
dropped as (
    delete from nudged.message m
    where m.user_id in (select user_id from mine) and m.created_at < $1
    returning m.user_id, m.id
),
ended as (
    insert into nudged.delivery (user_id, kind, key, device_hash, outcome, reason, attempted_at, sweep_id)
    select user_id, 'message', id::text, '', 'dropped', 'restored', $1, '00000000-0000-0000-0000-000000000000' from dropped
    on conflict do nothing
)
select (select count(*) from restored), (select user_id from page order by user_id offset $3)
