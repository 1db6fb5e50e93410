-- Daemons with a lease that has not ended. $1 most rows.
-- Rows: daemon id, host and pid (null: it has written no row of its own yet), milliseconds until its lease ends.
select
    m.daemon_id,
    (select d.host from nudged.daemon d where d.daemon_id = m.daemon_id),
    (select d.pid from nudged.daemon d where d.daemon_id = m.daemon_id),
    -- Infinity is no number of milliseconds.
    (
        1000 * extract(
            epoch from least(max(l.alive_until), statement_timestamp() + interval '100 years') - statement_timestamp()
        )
    )::bigint
from nudged.member m
join nudged.lease l on l.member = m.id
where l.alive_until > statement_timestamp()
group by m.daemon_id
order by m.daemon_id
limit $1
