-- name: hold_messages
-- Locks the messages and reminders of an intent against nudged_api.cancel, nudged_api.cancel_reminders and the like,
-- until the commit. It runs in the intent's transaction, before the intent. A message or reminder that was cancelled,
-- or is being cancelled, is missing in the result and is not sent. The query waits for nobody.
-- $1 users, $2 ids (parallel). Rows: user, id.
with messages as (
    select m.user_id, m.id from nudged.message m
    where m.user_id = any ($1) and m.id = any ($2)
    for key share skip locked
),
reminders as (
    select o.user_id, o.id from nudged.occurrence o
    where o.user_id = any ($1) and o.id = any ($2)
    for key share skip locked
)
select user_id, id from messages union all select user_id, id from reminders

-- name: hold_messages_distributed
-- As `hold_messages`, for distributed tables, which refuse FOR KEY SHARE across shards. An UPDATE that changes
-- nothing locks the rows as well. It waits for a cancellation under way, up to the lock time-out.
with messages as (
    update nudged.message m set urgent = urgent
    where m.user_id = any ($1) and m.id = any ($2)
    returning m.user_id, m.id
),
reminders as (
    update nudged.occurrence o set is_own = is_own
    where o.user_id = any ($1) and o.id = any ($2)
    returning o.user_id, o.id
)
select user_id, id from messages union all select user_id, id from reminders

-- name: intent
-- Commits what is about to be written to Apple, for those users whose data has not changed. Their version's upper half
-- is still the one that was decided on, and no touch waits, apart from arrivals.
-- The users' rows stay as they are. While the intent is open, their owner has them in hand. If it dies, `recover`
-- enters the nudges in their histories.
-- The foreign key refuses the intent if the membership has ended. No other lock is needed: whatever changes a user
-- later raises the version or leaves a touch. `versions` and `touched_since` see that after the commit and before
-- the first byte.
-- $1 intent, $2 member, $3 sweep id, $4 the instant of the attempt; users (parallel): $5 user, $6 version;
-- devices (parallel): $7 user, $8 kind, $9 key, $10 slot, $11 device hash, $12 apns-id, $13 what is left of the user's
-- nudges beside these devices (at the first device of each user, else null), $14 whether the history holds the nudge already, $15 which of the user's nudges, $16
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
        (select jsonb_agg(r) from jsonb_array_elements(nudged.readable($18)) r where ((r ->> 'user_id')::uuid in (select user_id from kept)) is true)
    from unnest($7::uuid[], $8::text[], $9::text[], $10::date[], $11::text[], $12::uuid[], $13::text[], $14::boolean[], $15::smallint[],
        $16::boolean[], $17::integer[]) as d (user_id, kind, key, slot, device_hash, apns_id, retry, counted, nudge, ends, template)
    -- "is true" keeps the planner from making it a join, so it is a hashed subplan.
    where (d.user_id in (select user_id from kept)) is true
    having count(*) > 0
)
select user_id from kept

-- name: touched_since
-- Whose data has changed up to now. Run after the intent's commit and before the first byte. $1 users. Rows: users,
-- once per touch.
select user_id from nudged.touched where user_id = any ($1) and not arrival

-- name: versions
-- The current versions of users. Run after `touched_since`, whose touches may have been drained in between. $1 users.
select user_id, version from nudged.person where user_id = any ($1)

-- name: withdraw_intents
-- Takes the place of intents that may or may not have been committed: the connection was lost, or the answer came too
-- late. It waits for a commit under way, as any unique key does. A commit that comes later finds the place taken and
-- fails. The empty row is deleted after a minute (`orphans`).
-- $1 intents, $2 member, $3 sweep id.
insert into nudged.intent (
    id, member, sweep_id, attempted_at, user_ids, kinds, keys, slots, device_hashes, apns_ids, retries, counted, nudges, ends, templates, withdrawn_until
)
select
    i.id, $2, $3, statement_timestamp(), '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', statement_timestamp() + interval '1 minute'
from unnest($1::uuid[]) as i (id)
order by i.id
on conflict (id) do nothing

-- name: close_intents
-- Closes intents for users whose outcomes are recorded. An empty row keeps its place (`withdraw_intents`).
-- Parallel: $1 intents, $2 their users. $3 those of these intents of which the daemon has no other push: they are
-- deleted. If the database has other users of such an intent open, a promoted standby lacks their settlement, and the
-- intent becomes an orphan. $4 intents that were withdrawn: those that were committed are deleted.
with part as materialized (
    select id, array_agg(user_id) as users from unnest($1::uuid[], $2::uuid[]) as u (id, user_id) group by id
),
last as materialized (
    select i.id, exists (select unnest(i.user_ids) except (select unnest(i.settled) union all select unnest(p.users))) as is_open
    from nudged.intent i join part p on p.id = i.id
    where i.id = any ($3) and i.withdrawn_until is null
),
gone as (
    delete from nudged.intent
    where id = any ($4 || array(select id from last where not is_open)) and withdrawn_until is null
    returning 1
),
marked as (
    update nudged.intent i set settled = i.settled || p.users, member = case when i.id = any ($3) then null else i.member end
    from part p
    where i.id = p.id and i.withdrawn_until is null and i.id <> all (array(select id from last where not is_open))
    returning 1
)
select (select count(*) from gone), (select count(*) from marked)

-- name: orphans
-- Open intents of members that have ended. It also deletes empty rows whose minute is over (`withdraw_intents`). $1
-- most, $2 intents that are left for a while.
-- Rows: intent, its users who are not recorded yet. In random order, so that daemons that recover at once rarely meet.
with past as (
    delete from nudged.intent where withdrawn_until < statement_timestamp()
)
select i.id, array(select distinct o.user_id from unnest(i.user_ids) as o (user_id) where o.user_id <> all (i.settled))
from nudged.intent i
where i.member is null and i.withdrawn_until is null and i.id <> all ($2)
order by random()
limit $1

-- name: recover
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
-- retry is at a user's first push. In the order of user_id, like all writers that wait for locks.
users as materialized (
    select
        r.user_id, r.retry, coalesce(s.sent, '{}') as sent, coalesce(s.check_in_at, '{}') as check_in_at,
        coalesce(s.check_in_slot, '{}') as check_in_slot, s.template
    from (select user_id, (array_agg(retry order by attempted_at desc, retry is null))[1]::jsonb as retry from pushes group by user_id) r
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

-- name: stuck_commits
-- Whether a commit of this role has waited for a synchronous standby for more than a second: the standby is away. One
-- row.
select count(*) > 0 from pg_stat_activity
where usename = current_user and wait_event = 'SyncRep' and state_change < statement_timestamp() - interval '1 second'
