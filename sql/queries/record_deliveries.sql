-- Appends outcomes and missed slots to the record, for users who were not erased meanwhile (nudged_api.forget). It
-- can be repeated: nothing is appended twice.
-- $1 sweep id, $2 users (each once); parallel: $3 user, $4 kind, $5 key, $6 slot, $7 device hash, $8 apns-id, $9
-- outcome, $10 reason, $11 status, $12 attempted_at, $13 the decision service's answer (empty if it was not asked), $14
-- template. One row: rows appended.
with known as materialized (
    select user_id from nudged.person where user_id = any ($2)
),
recorded as (
    insert into nudged.delivery (
        user_id, kind, key, slot, device_hash, apns_id, outcome, reason, status, attempted_at, sweep_id, decision, template
    )
    select
        d.user_id, d.kind, d.key, d.slot, d.device_hash, d.apns_id, d.outcome, d.reason, d.status, d.attempted_at, $1, d.decision::jsonb, d.template
    from unnest(
        $3::uuid[], $4::text[], $5::text[], $6::date[], $7::text[], $8::uuid[], $9::text[], $10::text[], $11::smallint[],
        $12::timestamptz[], $13::text[], $14::integer[]
    ) as d (user_id, kind, key, slot, device_hash, apns_id, outcome, reason, status, attempted_at, decision, template)
    -- "is true" keeps the planner from making it a join, so it is a hashed subplan.
    where (d.user_id in (select user_id from known)) is true
    on conflict do nothing
    returning 1
)
select count(*) from recorded
