-- Commits what is about to be written to Apple, for those users of whom nothing changed: the lease is ours, the version is the one that was decided
-- on, and no touch waits. Their rows stay as they are: while the intent is open nobody claims them, and if we die recover.sql enters the nudge in
-- their histories.
-- No lock is needed: what changes a user after this statement's snapshot raises the version or leaves a touch, which touched_since.sql sees after
-- the commit and before the first byte; and the caller writes nothing if the commit was answered after the lease's end.
-- $1 lease id, $2 lease in milliseconds, $3 chunk number, $4 sweep id, $5 the policy's now, users (parallel): $6 user, $7 version,
-- devices (parallel): $8 user, $9 kind, $10 key, $11 slot, $12 device hash, $13 apns-id, $14 retry, $15 counted, $16 which of
-- the user's nudges, $17 whether the message ends with this attempt even where it becomes unknown, $18 what
-- the decisions found to record (a JSON array of rows, or null). Rows: the users whose intent holds.
-- retry is what is left of the user's nudges beside these devices (and what is to be repeated once): after a crash, whoever comes next must neither write them again nor forget the others.
with ours as materialized (
    select user_id, version from nudged.person
    where user_id = any ($6) and lease_id = $1 and lease_until > statement_timestamp()
),
changed as materialized (
    select user_id from nudged.touched where user_id = any ($6) and not arrival
),
kept as materialized (
    select o.user_id
    from unnest($6::uuid[], $7::bigint[]) as w (user_id, version)
    join ours o on o.user_id = w.user_id and o.version >> 32 = w.version >> 32
    where (o.user_id in (select user_id from changed)) is not true
),
intended as (
    insert into nudged.intent (
        lease_id, number, expires_at, sweep_id, attempted_at, user_ids, kinds, keys, slots, device_hashes, apns_ids, retries, counted,
        nudges, ends, records
    )
    select
        $1, $3, statement_timestamp() + $2 * interval '1 millisecond', $4, $5,
        array_agg(d.user_id), array_agg(d.kind), array_agg(d.key), array_agg(d.slot), array_agg(d.device_hash), array_agg(d.apns_id),
        array_agg(d.retry), array_agg(d.counted), array_agg(d.nudge), array_agg(d.ends),
        (select jsonb_agg(r) from jsonb_array_elements($18::jsonb) r where ((r ->> 'user_id')::uuid in (select user_id from kept)) is true)
    from unnest($8::uuid[], $9::text[], $10::text[], $11::date[], $12::text[], $13::uuid[], $14::text[], $15::boolean[], $16::smallint[],
        $17::boolean[]) as d (user_id, kind, key, slot, device_hash, apns_id, retry, counted, nudge, ends)
    -- "is true" keeps the planner from making a join of it: so it is a hashed subplan.
    where (d.user_id in (select user_id from kept)) is true
    having count(*) > 0
)
select user_id from kept
