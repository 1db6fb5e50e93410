-- Says that a daemon runs and how it stands, and forgets daemons that were not seen for a day.
-- $1 daemon id, $2 host, $3 pid, $4 version, $5 milliseconds since it started, $6 its state (null: as it said before),
-- $7 its member and $8 its lease in milliseconds where it joins; else null, and both stay.
with lost as materialized (
    -- Two daemons that forget the same rows don't wait for each other.
    select daemon_id from nudged.daemon
    where seen_at < statement_timestamp() - interval '1 day' and daemon_id <> $1
    for update skip locked
),
forgotten as (
    delete from nudged.daemon d using lost where d.daemon_id = lost.daemon_id
)
insert into nudged.daemon as d (daemon_id, host, pid, version, started_at, seen_at, state, member, alive_until)
values (
    $1, $2, $3, $4, statement_timestamp() - $5 * interval '1 millisecond', statement_timestamp(), coalesce($6::jsonb, '{}'),
    $7, statement_timestamp() + $8 * interval '1 millisecond'
)
on conflict (daemon_id) do update set
    seen_at = excluded.seen_at,
    state = coalesce($6::jsonb, d.state),
    member = coalesce(excluded.member, d.member),
    alive_until = case when excluded.member is null then d.alive_until else excluded.alive_until end
