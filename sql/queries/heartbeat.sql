-- Writes what a daemon says about itself, and deletes the rows of daemons that were not seen for a day.
-- $1 daemon id, $2 host, $3 pid, $4 version, $5 milliseconds since it started, $6 its state.
with lost as materialized (
    -- Two daemons that delete the same rows don't wait for each other.
    select daemon_id from nudged.daemon
    where seen_at < statement_timestamp() - interval '1 day' and daemon_id <> $1
    for update skip locked
),
forgotten as (
    delete from nudged.daemon d using lost where d.daemon_id = lost.daemon_id
)
insert into nudged.daemon (daemon_id, host, pid, version, started_at, seen_at, state)
values (
    $1, $2, $3, $4, statement_timestamp() - $5 * interval '1 millisecond', statement_timestamp(), $6::jsonb
)
on conflict (daemon_id) do update set
    seen_at = excluded.seen_at,
    state = excluded.state
