-- Commits what is about to be written to Apple, for those users whose data has not changed. Their version's upper half
-- is still the one that was decided on, and no touch waits, apart from arrivals.
-- The users' rows stay as they are. While the intent is open, their owner has them in hand. If it dies, recover.sql
-- enters the nudges in their histories.
-- The foreign key refuses the intent if the membership has ended. No other lock is needed: whatever changes a user
-- later raises the version or leaves a touch. versions.sql and touched_since.sql see that after the commit and before
-- the first byte.
-- $1 intent, $2 member, $3 sweep id, $4 the instant of the attempt; users (parallel): $5 user, $6 version;
-- devices (parallel): $7 user, $8 kind, $9 key, $10 slot, $11 device hash, $12 apns-id, $13 what is left of the user's
-- nudges beside these devices, $14 whether the history holds the nudge already, $15 which of the user's nudges, $16
-- whether the message ends with this attempt even if its outcome is unknown, $17 template; $18 what the decisions
-- record (a JSON array of rows, or null). Rows: the users whose intent holds.
with people as materialized (
    select user_id, version from nudged.person where user_id = any ($5)
),
changed as materialized (
    select user_id from nudged.touched where user_id = any ($5) and not arrival
),
kept as materialized (
    select p.user_id
    from unnest($5::uuid[], $6::bigint[]) as w (user_id, version)
    join people p on p.user_id = w.user_id and p.version >> 32 = w.version >> 32
    where (p.user_id in (select user_id from changed)) is not true
),
intended as (
    insert into nudged.intent (
        id, member, sweep_id, attempted_at, user_ids, kinds, keys, slots, device_hashes, apns_ids, retries, counted, nudges, ends, templates, records
    )
    select
        $1, $2, $3, $4,
        array_agg(d.user_id), array_agg(d.kind), array_agg(d.key), array_agg(d.slot), array_agg(d.device_hash), array_agg(d.apns_id),
        array_agg(d.retry), array_agg(d.counted), array_agg(d.nudge), array_agg(d.ends), array_agg(d.template),
        (select jsonb_agg(r) from jsonb_array_elements($18::jsonb) r where ((r ->> 'user_id')::uuid in (select user_id from kept)) is true)
    from unnest($7::uuid[], $8::text[], $9::text[], $10::date[], $11::text[], $12::uuid[], $13::text[], $14::boolean[], $15::smallint[],
        $16::boolean[], $17::integer[]) as d (user_id, kind, key, slot, device_hash, apns_id, retry, counted, nudge, ends, template)
    -- "is true" keeps the planner from making it a join, so it is a hashed subplan.
    where (d.user_id in (select user_id from kept)) is true
    having count(*) > 0
)
select user_id from kept
