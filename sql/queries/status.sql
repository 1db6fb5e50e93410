-- name: clock
-- The database's clock, which the policy uses.
select clock_timestamp()

-- name: heartbeat
-- Writes what a daemon says about itself, and deletes the rows of daemons that were not seen for a day.
-- $1 daemon id, $2 host, $3 pid, $4 version, $5 milliseconds since it started, $6 its state.
with lost as materialized (
    -- Two daemons that delete the same rows don't wait for each other.
    select daemon_id from nudged.daemon where seen_at < statement_timestamp() - interval '1 day' and daemon_id <> $1 for update skip locked
),
forgotten as (delete from nudged.daemon d using lost where d.daemon_id = lost.daemon_id)
insert into nudged.daemon (daemon_id, host, pid, version, started_at, seen_at, state)
values ($1, $2, $3, $4, statement_timestamp() - $5 * interval '1 millisecond', statement_timestamp(), nudged.readable($6))
on conflict (daemon_id) do update set seen_at = excluded.seen_at, state = excluded.state

-- name: daemon_gone
-- Deletes the row of a daemon that stops normally. $1 daemon id.
delete from nudged.daemon where daemon_id = $1

-- name: daemons
-- Daemons that were seen within a day, the longest running first. $1 most rows. Rows: daemon id, host, pid, version,
-- started_at, seen_at, milliseconds since seen_at, state, its ranges, end of its lease (null: it is no member).
select
    d.daemon_id, d.host, d.pid, d.version, d.started_at, d.seen_at,
    (extract(epoch from statement_timestamp() - d.seen_at) * 1000)::bigint, d.state::text,
    array(select r.id from nudged.range r join nudged.member m on m.id = r.owner where m.daemon_id = d.daemon_id order by r.id),
    (select max(l.alive_until) from nudged.lease l join nudged.member m on m.id = l.member where m.daemon_id = d.daemon_id and isfinite(l.alive_until))
from nudged.daemon d where isfinite(d.seen_at) and isfinite(d.started_at) order by d.started_at, d.daemon_id limit $1

-- name: status
-- The state of the work, at a bounded cost: due users are counted up to $3, all else up to $1. $2 all ranges.
-- One row: the clock, users who are due, since when the first of them is due, touches, open intents and their pushes,
-- unknown pushes of the last 24 hours, free ranges.
select
    statement_timestamp(), due.users, due.first,
    (select count(*) from (select 1 from nudged.touched limit $1) as touches), open.intents, open.pushes,
    (
        select count(*) from (
            select 1 from nudged.delivery where outcome = 'unknown' and attempted_at > statement_timestamp() - interval '24 hours' limit $1
        ) as lost
    ),
    (select count(*) from nudged.range where owner is null)
from (
    -- Users of urgent messages are due since 1970 (`drain`). The reader is shown when the message came.
    select count(*) as users, min(case when due_at < '1971-01-01Z' then coalesce(touched_at, statement_timestamp()) else due_at end) as first
    from (
        select due_at, touched_at from nudged.person where uuid_hash(user_id) >> 26 = any ($2::integer[]) and due_at <= statement_timestamp() limit $3
    ) as first_due
) as due
cross join (
    select count(*) as intents, coalesce(sum(users), 0)::bigint as pushes
    from (select open as users from nudged.intent where withdrawn_until is null order by id limit $1) as intents
) as open

-- name: remaining
-- Whether anyone is still due, deleted users apart. $1 the policy's now, $2 all ranges, $3 this daemon's ranges. One row:
-- whether someone is due in any range, or a touch, an orphan or a fan-out waits; whether someone is due in $3.
select
    exists (
        select 1 from nudged.person p where uuid_hash(user_id) >> 26 = any ($2::integer[]) and due_at <= $1
          and not exists (select 1 from nudged.departed d where d.user_id = p.user_id and not d.is_erased)
    )
    or exists (select 1 from nudged.touched)
    or exists (select 1 from nudged.intent where member is null and withdrawn_until is null)
    or exists (select 1 from nudged.occurrence where is_fan_out and wakes_at <= $1),
    exists (
        select 1 from nudged.person p where uuid_hash(user_id) >> 26 = any ($3::integer[]) and due_at <= $1
          and not exists (select 1 from nudged.departed d where d.user_id = p.user_id and not d.is_erased)
    )
