-- Settles users in one go: closes their chunk's intent, corrects the histories, sets when to ask again, appends the deliveries of those whose row took
-- it: so a settlement that is repeated records nothing twice, and of a user who was erased meanwhile (nudged.forget) nothing is recorded.
-- With $31 true (outcomes of what was written) nothing happens where the intent is gone: then our lease had ended, and another daemon has
-- recorded its pushes as unknown. With false: decisions that send nothing, or a chunk whose intent was withdrawn or never committed.
-- $1 lease id, $2 chunk number, $3 sweep id,
-- users (parallel): $4 user, $5 version, $6 due_at, $7 asked_at, $8 since, $9 fingerprint, $10 retry, and the places of their histories in the lists
-- that follow: $11 and $12 first and last check-in, $13 and $14 closed slot, $15 and $16 send (last before first: none),
-- lists of all users' histories: $17 check_in_at, $18 check_in_slot (parallel), $19 closed, $20 sent,
-- deliveries (parallel): $21 user, $22 kind, $23 key, $24 slot, $25 device hash, $26 apns-id, $27 outcome, $28 reason, $29 status, $30 attempted_at,
-- messages and reminders that ended (parallel): $32 user, $33 id,
-- $34 what was decided of the deliveries (parallel to $21; empty where nobody was asked),
-- $35 what comes after reminders that ended (a JSON array of objects with user_id, id, number, planned_local, first_at or first_local, due_at or due_local; or null),
-- $36 the users' templates (parallel to $4), $37 the deliveries' (parallel to $21).
-- One row: intents closed, users settled.
with closed_intent as (
    -- An empty one holds the place of a commit that may still come (withdraw_intent.sql).
    delete from nudged.intent where lease_id = $1 and number = $2 and user_ids <> '{}' returning 1
),
wanted as materialized (
    -- Cast and cut here: an UPDATE across shards refuses functions that are not immutable, and Citus 13.2's server ends where one assigns a part of a list.
    select
        user_id, version, due_at, asked_at, since, fingerprint, retry::jsonb as retry, template,
        ($17::timestamptz[])[first_check_in:last_check_in] as check_in_at, ($18::date[])[first_check_in:last_check_in] as check_in_slot,
        ($19::date[])[first_closed:last_closed] as closed, ($20::timestamptz[])[first_sent:last_sent] as sent
    from unnest(
        $4::uuid[], $5::bigint[], $6::timestamptz[], $7::timestamptz[], $8::timestamptz[], $9::bigint[], $10::text[],
        $11::integer[], $12::integer[], $13::integer[], $14::integer[], $15::integer[], $16::integer[], $36::integer[]
    ) as w (
        user_id, version, due_at, asked_at, since, fingerprint, retry,
        first_check_in, last_check_in, first_closed, last_closed, first_sent, last_sent, template
    )
    where not $31 or exists (select 1 from closed_intent)
),
settled as (
    update nudged.person p set
        lease_id = null,
        lease_until = null,
        due_at = case when p.version = w.version then w.due_at else p.due_at end,
        touched_at = case when p.version >> 32 = w.version >> 32 then null else p.touched_at end,
        asked_at = w.asked_at,
        -- It only grows: `nudged recover` may have raised it meanwhile.
        since = greatest(p.since, w.since),
        fingerprint = w.fingerprint,
        check_in_at = w.check_in_at,
        check_in_slot = w.check_in_slot,
        closed = w.closed,
        sent = w.sent,
        retry = w.retry,
        template = w.template
    from wanted w
    where p.user_id = w.user_id
      -- Read by the list, then joined by hashing. Statistics of a moment without leases say that no row has this one: on a table of ten thousand the
      -- planner then read all of it and compared each leased row with each user. Of an expression it believes less.
      and p.user_id = any ($4)
      and coalesce(p.lease_id, '00000000-0000-0000-0000-000000000000') = $1
    returning p.user_id
),
ended as (
    delete from nudged.message m using unnest($32::uuid[], $33::uuid[]) as e (user_id, id)
    where m.user_id = e.user_id and m.id = e.id and (e.user_id in (select user_id from settled)) is true
),
over as (
    delete from nudged.occurrence o using unnest($32::uuid[], $33::uuid[]) as e (user_id, id)
    where o.user_id = e.user_id and o.id = e.id and (e.user_id in (select user_id from settled)) is true
    returning o.*
),
-- Of a reminder that was cancelled meanwhile as well: it is dropped when its hour comes (live_reminders.sql).
continued as (
    insert into nudged.occurrence (
        user_id, reminder_id, author_id, subject_type, subject_id, title, body, due_at, due_local, timezone, is_own, recurrence, number,
        first_at, first_local, planned_local
    )
    select
        o.user_id, o.reminder_id, o.author_id, o.subject_type, o.subject_id, o.title, o.body, n.due_at, n.due_local, o.timezone, o.is_own, o.recurrence,
        n.number, n.first_at, n.first_local, n.planned_local
    from jsonb_to_recordset($35::jsonb) as n (
        user_id uuid, id uuid, number integer, first_at timestamptz, first_local timestamp, planned_local timestamp, due_at timestamptz, due_local timestamp
    )
    join over o on o.user_id = n.user_id and o.id = n.id
),
recorded as (
    insert into nudged.delivery (
        user_id, kind, key, slot, device_hash, apns_id, outcome, reason, status, attempted_at, sweep_id, decision, template
    )
    select
        d.user_id, d.kind, d.key, d.slot, d.device_hash, d.apns_id, d.outcome, d.reason, d.status, d.attempted_at, $3, d.decision::jsonb, d.template
    from unnest(
        $21::uuid[], $22::text[], $23::text[], $24::date[], $25::text[], $26::uuid[], $27::text[], $28::text[], $29::smallint[],
        $30::timestamptz[], $34::text[], $37::integer[]
    ) as d (user_id, kind, key, slot, device_hash, apns_id, outcome, reason, status, attempted_at, decision, template)
    -- "is true" keeps the planner from making a join of it: so it is a hashed subplan.
    where (d.user_id in (select user_id from settled)) is true
)
select (select count(*) from closed_intent), (select count(*) from settled)
