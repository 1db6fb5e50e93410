-- Records orphans as unknown: what members were about to write when they ended. Enters those nudges in the histories,
-- and deletes the messages that end with them.
-- An intent that another daemon recovers at this moment is skipped. If none of its users is left open, the intent is
-- deleted. If some are, the recorded users are marked.
-- $1 intents, $2 the users to record (null: all), $3 the reason in the record. One row: intents, pushes.
with dead as materialized (
    select * from nudged.intent
    where id = any ($1) and member is null and withdrawn_until is null
    order by id
    for update skip locked
),
pushes as materialized (
    select g.id as intent, g.sweep_id, g.attempted_at, d.*
    from dead g
    cross join lateral unnest(g.user_ids, g.kinds, g.keys, g.slots, g.device_hashes, g.apns_ids, g.retries, g.counted, g.nudges, g.ends, g.templates)
        as d (user_id, kind, key, slot, device_hash, apns_id, retry, counted, nudge, ends, template)
    where d.user_id <> all (g.settled) and ($2::uuid[] is null or d.user_id = any ($2))
),
-- A nudge counts once, however many devices it has. The history counts whole seconds.
nudges as materialized (
    select
        user_id, intent, nudge, date_trunc('second', min(attempted_at)) as at,
        max(slot) filter (where kind = 'check_in') as slot, max(template) filter (where kind = 'check_in') as template
    from pushes
    where not counted
    group by user_id, intent, nudge
),
sends as materialized (
    select
        user_id, array_agg(at order by at desc) as sent,
        coalesce(array_agg(at order by at desc) filter (where slot is not null), '{}') as check_in_at,
        coalesce(array_agg(slot order by at desc) filter (where slot is not null), '{}') as check_in_slot,
        (array_agg(template order by at desc) filter (where slot is not null))[1] as template
    from nudges
    group by user_id
),
-- retry is the same for all pushes of a user. In the order of user_id, like all writers that wait for locks.
users as materialized (
    select
        r.user_id, r.retry, coalesce(s.sent, '{}') as sent, coalesce(s.check_in_at, '{}') as check_in_at,
        coalesce(s.check_in_slot, '{}') as check_in_slot, s.template
    from (select user_id, (array_agg(retry order by attempted_at desc))[1]::jsonb as retry from pushes group by user_id) r
    left join sends s on s.user_id = r.user_id
    order by r.user_id
),
entered as (
    update nudged.person p set
        check_in_at = u.check_in_at || p.check_in_at,
        check_in_slot = u.check_in_slot || p.check_in_slot,
        sent = u.sent || p.sent,
        template = case when u.check_in_slot <> '{}' then u.template else p.template end,
        retry = u.retry
    from users u
    where p.user_id = u.user_id
    returning p.user_id
),
-- What the decisions recorded beside those pushes.
missed as (
    insert into nudged.delivery (user_id, kind, key, slot, device_hash, outcome, reason, status, attempted_at, sweep_id, decision)
    select r.user_id, r.kind, r.key, r.slot, r.device_hash, r.outcome, r.reason, r.status, r.attempted_at, g.sweep_id, r.decision
    from dead g
    cross join lateral jsonb_to_recordset(g.records) as r (
        user_id uuid, kind text, key text, slot date, device_hash text, outcome text, reason text, status smallint, attempted_at timestamptz,
        decision jsonb
    )
    where (r.user_id in (select user_id from entered)) is true
    on conflict do nothing
),
ended as (
    delete from nudged.message m using pushes d
    where d.ends and d.kind = 'message' and m.user_id = d.user_id and m.id = d.key::uuid
),
-- Messages that these records call dropped.
dropped as (
    delete from nudged.message m using (
        select (r ->> 'user_id')::uuid as user_id, (r ->> 'key')::uuid as id
        from dead g cross join lateral jsonb_array_elements(g.records) as r
        where r ->> 'kind' = 'message' and r ->> 'outcome' = 'dropped'
    ) as d
    where m.user_id = d.user_id and m.id = d.id and (d.user_id in (select user_id from entered)) is true
),
recorded as (
    insert into nudged.delivery (user_id, kind, key, slot, device_hash, apns_id, outcome, reason, attempted_at, sweep_id, template)
    select d.user_id, d.kind, d.key, d.slot, d.device_hash, d.apns_id, 'unknown', $3, d.attempted_at, d.sweep_id, d.template
    from pushes d
    -- The update has waited for an erasure under way (nudged_api.forget): nothing is recorded about a user who was
    -- erased.
    where (d.user_id in (select user_id from entered)) is true
    on conflict do nothing
    returning 1
),
-- Whether other users of the intent stay open. If all users were to be recorded: none.
open as materialized (
    select
        g.id,
        exists (select 1 from unnest(g.user_ids) as o (user_id) where $2::uuid[] is not null and o.user_id <> all ($2) and o.user_id <> all (g.settled)) as is_left
    from dead g
),
gone as (
    delete from nudged.intent i using open o where i.id = o.id and not o.is_left returning 1
),
marked as (
    update nudged.intent i set settled = i.settled || $2::uuid[] from open o where i.id = o.id and o.is_left returning 1
)
select (select count(*) from gone), (select count(*) from recorded)
