-- Settles users in one go: closes their chunk's intent, appends the deliveries, corrects the histories, sets when to ask again.
-- With $25 true (outcomes of what was written) nothing happens where the intent is gone: then our lease had ended, and another daemon has
-- recorded its pushes as unknown. With false: decisions that send nothing, or a chunk whose intent was withdrawn or never committed.
-- $1 lease id, $2 chunk number, $3 sweep id,
-- users (parallel): $4 user, $5 version, $6 due_at, $7 asked_at, $8 since, $9 fingerprint, $10 check_in_at, $11 check_in_slot, $12 closed,
-- $13 sent, $14 retry, deliveries (parallel): $15 user, $16 kind, $17 key, $18 slot, $19 device hash, $20 apns-id, $21 outcome, $22 reason,
-- $23 status, $24 attempted_at. One row: intents closed, users settled.
with closed_intent as (
    delete from nudged.intent where lease_id = $1 and number = $2 returning 1
),
recorded as (
    insert into nudged.delivery (
        user_id, kind, key, slot, device_hash, apns_id, outcome, reason, status, attempted_at, sweep_id
    )
    select d.user_id, d.kind, d.key, d.slot, d.device_hash, d.apns_id, d.outcome, d.reason, d.status, d.attempted_at, $3
    from unnest(
        $15::uuid[], $16::text[], $17::text[], $18::date[], $19::text[], $20::uuid[], $21::text[], $22::text[], $23::smallint[],
        $24::timestamptz[]
    ) as d (user_id, kind, key, slot, device_hash, apns_id, outcome, reason, status, attempted_at)
    where not $25 or exists (select 1 from closed_intent)
    on conflict do nothing
),
wanted as materialized (
    -- Cast here: an UPDATE across shards refuses functions that are not immutable.
    select
        user_id, version, due_at, asked_at, since, fingerprint, check_in_at::timestamptz[] as check_in_at, check_in_slot::date[] as check_in_slot,
        closed::date[] as closed, sent::timestamptz[] as sent, retry::jsonb as retry
    from unnest(
        $4::uuid[], $5::bigint[], $6::timestamptz[], $7::timestamptz[], $8::timestamptz[], $9::bigint[], $10::text[], $11::text[],
        $12::text[], $13::text[], $14::text[]
    ) as w (user_id, version, due_at, asked_at, since, fingerprint, check_in_at, check_in_slot, closed, sent, retry)
    where not $25 or exists (select 1 from closed_intent)
),
settled as (
    update nudged.person p set
        lease_id = null,
        lease_until = null,
        due_at = case when p.version = w.version then w.due_at else p.due_at end,
        touched_at = case when p.version = w.version then null else p.touched_at end,
        asked_at = w.asked_at,
        since = w.since,
        fingerprint = w.fingerprint,
        check_in_at = w.check_in_at,
        check_in_slot = w.check_in_slot,
        closed = w.closed,
        sent = w.sent,
        retry = w.retry
    from wanted w
    where p.user_id = w.user_id and p.lease_id = $1
    returning 1
)
select (select count(*) from closed_intent), (select count(*) from settled)
