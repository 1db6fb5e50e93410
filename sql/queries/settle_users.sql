-- Writes what a decision or an outcome changes in users' rows: their histories, and when to look again. Repeated, it
-- changes nothing.
-- Users (parallel, in the order of user_id, like all writers that wait for locks): $1 user, $2 version, $3 due_at, $4
-- evaluated_at, $5 since, $6 fingerprint, $7 retry, $8 template, and the positions of their histories in the lists that
-- follow: $9 and $10 first and last check-in, $11 and $12 closed slot, $13 and $14 send (last before first: none).
-- Lists of all users' histories: $15 check_in_at, $16 check_in_slot (parallel), $17 closed, $18 sent.
-- Users again: $19 whether $20 counts, $20 evaluated_at as the claim read it, in whole seconds (null: never). A
-- settlement that takes effect late, after the user was claimed and settled again, changes nothing. (An older
-- evaluated_at is that of a promoted standby, which lacks the settlement before.) $21 reason. One row: users found.
with wanted as materialized (
    -- Cast and cut here: an UPDATE across shards refuses functions that are not immutable, and the server of Citus 13.2
    -- crashes if it assigns a part of a list.
    select
        user_id, version, due_at, evaluated_at, since, fingerprint, retry::jsonb as retry, template, reason,
        is_stamped, stamp + interval '1 second' as stamp_end,
        ($15::timestamptz[])[first_check_in:last_check_in] as check_in_at, ($16::date[])[first_check_in:last_check_in] as check_in_slot,
        ($17::date[])[first_closed:last_closed] as closed, ($18::timestamptz[])[first_sent:last_sent] as sent
    from unnest(
        $1::uuid[], $2::bigint[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::bigint[], $7::text[], $8::integer[],
        $9::integer[], $10::integer[], $11::integer[], $12::integer[], $13::integer[], $14::integer[],
        $19::boolean[], $20::timestamptz[], $21::text[]
    ) as w (
        user_id, version, due_at, evaluated_at, since, fingerprint, retry, template,
        first_check_in, last_check_in, first_closed, last_closed, first_sent, last_sent,
        is_stamped, stamp, reason
    )
),
settled as (
    update nudged.person p set
        -- On another version, a change has made the user due already.
        due_at = case when p.version = w.version then w.due_at else p.due_at end,
        touched_at = case when p.version >> 32 = w.version >> 32 then null else p.touched_at end,
        evaluated_at = w.evaluated_at,
        -- It only grows: `nudged after-restore` may have raised it meanwhile.
        since = greatest(p.since, w.since),
        fingerprint = w.fingerprint,
        check_in_at = w.check_in_at,
        check_in_slot = w.check_in_slot,
        closed = w.closed,
        sent = w.sent,
        retry = w.retry,
        template = w.template,
        reason = w.reason
    from wanted w
    where p.user_id = w.user_id
      -- Read by the list, then joined by hashing, whatever the planner expects of the list's length.
      and p.user_id = any ($1)
      and (not w.is_stamped or p.evaluated_at is null or not isfinite(p.evaluated_at) or p.evaluated_at < w.stamp_end)
    returning 1
)
select count(*) from settled
