-- Daemons that were seen within a day, the longest running first. $1 most rows.
-- Rows: daemon id, host, pid, version, started_at, seen_at, milliseconds since seen_at, state, its ranges,
-- end of its lease (null: it is no member).
select
    d.daemon_id, d.host, d.pid, d.version, d.started_at, d.seen_at,
    (extract(epoch from statement_timestamp() - d.seen_at) * 1000)::bigint,
    d.state::text,
    array(
        select r.id from nudged.range r join nudged.member m on m.id = r.owner where m.daemon_id = d.daemon_id
        order by r.id
    ),
    (
        select max(l.alive_until) from nudged.lease l join nudged.member m on m.id = l.member
        where m.daemon_id = d.daemon_id and isfinite(l.alive_until)
    )
from nudged.daemon d
where isfinite(d.seen_at) and isfinite(d.started_at)
order by d.started_at, d.daemon_id
limit $1
