-- Every daemon that was seen within a day, the longest running first. $1 most rows.
-- Rows: daemon id, host, pid, version, started_at, seen_at, milliseconds since it was seen, state.
select
    daemon_id, host, pid, version, started_at, seen_at,
    (extract(epoch from statement_timestamp() - seen_at) * 1000)::bigint,
    state::text
from nudged.daemon
where isfinite(seen_at) and isfinite(started_at)
order by started_at, daemon_id
limit $1
