-- name: settle
-- Writes what decisions and outcomes change: users' rows, and the record. Each user's part is of one turn and raises it.
-- If a later turn has begun, the part was settled already, or its user was erased: it changes nothing.
-- Users (parallel, in the order of user_id, like all writers that wait for locks): $1 user, $2 turn, $3 version, $4
-- due_at, $5 evaluated_at (null: as it is), $6 since, $7 reason (null: as it is), $8 retry, $9 state, $10 ignored.
-- Rows of the record (parallel): $11 user, $12 kind, $13 key, $14 slot, $15 device hash, $16 apns-id, $17 outcome, $18
-- reason, $19 status, $20 local_minute, $21 attempted_at, $22 the decision service's answer (empty if it was not asked),
-- $23 template.
-- $24 sweep id, $25 users who must have no change since their version. Rows: the users who were settled.
with wanted as materialized (
    -- Cast here: an UPDATE across shards refuses functions that are not immutable.
    select user_id, turn, version, due_at, evaluated_at, since, reason, retry::jsonb as retry, state, ignored
    from unnest(
        $1::uuid[], $2::integer[], $3::bigint[], $4::timestamptz[], $5::timestamptz[], $6::timestamptz[], $7::text[], $8::text[], $9::bytea[], $10::smallint[]
    ) as w (user_id, turn, version, due_at, evaluated_at, since, reason, retry, state, ignored)
),
-- Read only if a turn is missing.
pushed as materialized (select user_id from unnest($11::uuid[], $16::uuid[]) as d (user_id, apns_id) where apns_id is not null),
settled as (
    update nudged.person p set
        turn = w.turn + 1,
        -- On another version, a change has made the user due already.
        due_at = case when p.version = w.version then w.due_at else p.due_at end,
        touched_at = case when p.version >> 32 = w.version >> 32 then null else p.touched_at end,
        evaluated_at = coalesce(w.evaluated_at, p.evaluated_at),
        -- It only grows: `nudged after-restore` may have raised it meanwhile.
        since = greatest(p.since, w.since),
        reason = coalesce(w.reason, p.reason),
        retry = w.retry,
        state = w.state,
        ignored = w.ignored
    from wanted w
    -- A promoted standby can lack turns before this one. Pushes are recorded all the same. A decision without a push is
    -- based on what is lost, so its user is evaluated again.
    where p.user_id = w.user_id and (p.turn = w.turn or p.turn < w.turn and p.user_id in (select user_id from pushed))
      -- Read by the list, then joined by hashing, whatever the planner expects of the list's length.
      and p.user_id = any ($1)
      and (p.user_id <> all ($25) or p.version >> 32 = w.version >> 32)
    returning p.user_id
),
recorded as (
    insert into nudged.delivery (
        user_id, kind, key, slot, device_hash, apns_id, outcome, reason, status, local_minute, attempted_at, sweep_id, decision, template
    )
    select
        d.user_id, d.kind, d.key, d.slot, d.device_hash, d.apns_id, d.outcome, d.reason, d.status, d.local_minute, d.attempted_at, $24,
        nudged.readable(d.decision), d.template
    from unnest(
        $11::uuid[], $12::text[], $13::text[], $14::date[], $15::text[], $16::uuid[], $17::text[], $18::text[], $19::smallint[],
        $20::smallint[], $21::timestamptz[], $22::text[], $23::integer[]
    ) as d (user_id, kind, key, slot, device_hash, apns_id, outcome, reason, status, local_minute, attempted_at, decision, template)
    -- "is true" keeps the planner from making it a join, so it is a hashed subplan.
    where (d.user_id in (select user_id from settled)) is true
)
select user_id from settled

-- name: note_environments
-- Notes what Apple's answers say about devices' environments, in the transaction that settles these answers. The users'
-- rows are locked by it. Parallel: $1 user (in order), $2 device hash, $3 environment, $4 topic, $5 the registration, $6
-- when, $7 reason, $8 state (EnvironmentNote.State). One row: users found.
with told as materialized (
    select user_id, jsonb_agg(jsonb_build_object(
        'device', device, 'environment', environment, 'topic', topic, 'registered_at', registered_at, 'at', at, 'reason', reason, 'state', state)) as entries
    from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[])
        as d (user_id, device, environment, topic, registered_at, at, reason, state)
    group by user_id order by user_id
),
noted as (update nudged.person p set quarantine = nudged.merged_quarantine(p.quarantine, t.entries) from told t where p.user_id = t.user_id returning 1)
select count(*) from noted

-- name: end_messages
-- Deletes messages that ended, with their texts. Parallel: $1 user, $2 id.
delete from nudged.message m using unnest($1::uuid[], $2::uuid[]) as e (user_id, id) where m.user_id = e.user_id and m.id = e.id

-- name: end_reminders
-- Deletes reminders and fan-outs that ended, and inserts the next ones of their series. Parallel: $1 user, $2 id. $3
-- the next ones: a JSON array of objects with user_id, id (of the one that ended), number, planned_local, first_at or
-- first_local, due_at or due_local; or null. The next one's id begins with the reminder's (nudged.occurrence_id). No
-- volatile function makes it, since Citus refuses those. If the reminder was cancelled meanwhile, its next one is
-- inserted all the same, and dropped when it is due (`live_reminders`).
with over as (delete from nudged.occurrence o using unnest($1::uuid[], $2::uuid[]) as e (user_id, id) where o.user_id = e.user_id and o.id = e.id returning o.*)
insert into nudged.occurrence (
    user_id, id, reminder_id, author_id, subject_type, subject_id, title, body, apns, due_at, due_local, timezone, is_fan_out, is_own,
    recurrence, number, first_at, first_local, planned_local
)
select
    o.user_id, (left(o.reminder_id::text, 18) || substr(md5(o.id::text)::uuid::text, 19))::uuid, o.reminder_id, o.author_id, o.subject_type,
    o.subject_id, o.title, o.body, o.apns, n.due_at, n.due_local, o.timezone, o.is_fan_out, o.is_own, o.recurrence, n.number, n.first_at,
    n.first_local, n.planned_local
from jsonb_to_recordset($3::jsonb) as n (
    user_id uuid, id uuid, number integer, first_at timestamptz, first_local timestamp, planned_local timestamp, due_at timestamptz, due_local timestamp
)
join over o on o.user_id = n.user_id and o.id = n.id

-- name: forget_devices
-- Deletes tokens that a 410 proved stale, if the record holds that answer and the device has not registered again
-- since. If a user was erased meanwhile, the record holds nothing, and nothing is deleted. Parallel: $1 user, $2 token,
-- $3 environment, $4 topic, $5 the answer's instant, $6 apns-id. $7 the earliest instant of the settlement's rows,
-- which leaves older partitions out. One row: how many were deleted.
select nudged.forget_devices($1, $2, $3, $4, $5, $6, $7)

-- name: quarantine
-- Puts devices into quarantine once a window of Apple's answers has closed, and makes their users due. So these users
-- are evaluated with the devices that are left. $1 the policy's now. Parallel: $2 user, $3 device hash, $4 environment,
-- $5 topic, $6 the refused registration, $7 when it was decided, $8 reason. Rows: users found, with their devices
-- that work in the other environment. A touch goes with it (`touch_users`), so that no earlier decision sends to them.
with told as materialized (
    select user_id, jsonb_agg(jsonb_build_object(
        'device', device, 'environment', environment, 'topic', topic, 'registered_at', registered_at, 'at', at, 'reason', reason)) as entries
    from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[])
        as d (user_id, device, environment, topic, registered_at, at, reason)
    -- In the order of user_id, like all writers that wait for locks: two daemons can't deadlock.
    group by user_id order by user_id
)
update nudged.person p set due_at = least(p.due_at, $1), quarantine = nudged.merged_quarantine(p.quarantine, t.entries)
from told t where p.user_id = t.user_id returning p.user_id, jsonb_path_query_array(p.quarantine, '$[*] ? (@.state == "moved")')::text

-- name: move_devices
-- Writes the environments in which devices work into the table of devices, if nudged created it. Parallel: $1 user, $2
-- token, $3 environment, $4 topic. One row: how many rows have changed.
select count(*) filter (where nudged.move_device(d.user_id, d.token, d.environment, d.topic))
from unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) as d (user_id, token, environment, topic)
