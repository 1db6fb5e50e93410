-- Commits what is about to be written to Apple, and enters it in the history as unknown, for those users of whom nothing changed:
-- the lease is ours, the version is the one that was decided on, and no touch waits.
-- $1 lease id, $2 lease in milliseconds, $3 chunk number, $4 sweep id, $5 the policy's now,
-- users (parallel): $6 user, $7 version, $8 since, $9 fingerprint, $10 check_in_at, $11 check_in_slot, $12 closed, $13 sent, $14 retry,
-- devices (parallel): $15 user, $16 kind, $17 key, $18 slot, $19 device hash, $20 apns-id. Rows: the users whose intent holds.
-- retry is what is left of the nudge beside these devices: after a crash, whoever comes next must neither write them again nor forget the others.
with wanted as materialized (
    -- Cast here: an UPDATE across shards refuses functions that are not immutable.
    select
        user_id, version, since, fingerprint, check_in_at::timestamptz[] as check_in_at, check_in_slot::date[] as check_in_slot,
        closed::date[] as closed, sent::timestamptz[] as sent, retry::jsonb as retry
    from unnest($6::uuid[], $7::bigint[], $8::timestamptz[], $9::bigint[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[])
        as w (user_id, version, since, fingerprint, check_in_at, check_in_slot, closed, sent, retry)
),
kept as (
    update nudged.person p set
        lease_until = statement_timestamp() + $2 * interval '1 millisecond',
        since = w.since,
        fingerprint = w.fingerprint,
        check_in_at = w.check_in_at,
        check_in_slot = w.check_in_slot,
        closed = w.closed,
        sent = w.sent,
        retry = w.retry
    from wanted w
    where p.user_id = w.user_id
      and p.lease_id = $1
      and p.lease_until > statement_timestamp()
      and p.version = w.version
      and not exists (select 1 from nudged.touched t where t.user_id = p.user_id)
    returning p.user_id
),
intended as (
    insert into nudged.intent (
        lease_id, number, expires_at, sweep_id, attempted_at, user_ids, kinds, keys, slots, device_hashes, apns_ids
    )
    select
        $1, $3, statement_timestamp() + $2 * interval '1 millisecond', $4, $5,
        array_agg(d.user_id), array_agg(d.kind), array_agg(d.key), array_agg(d.slot), array_agg(d.device_hash), array_agg(d.apns_id)
    from unnest($15::uuid[], $16::text[], $17::text[], $18::date[], $19::text[], $20::uuid[])
        as d (user_id, kind, key, slot, device_hash, apns_id)
    -- "is true" keeps the planner from making a join of it, which with hash joins off would compare each device with each user: so it is a hashed
    -- subplan.
    where (d.user_id in (select user_id from kept)) is true
    having count(*) > 0
)
select user_id from kept
