-- What keeps dead rows from being cleaned up. One row: of the session with the oldest snapshot or transaction its
-- process, role, seconds of its transaction (null: this role may not see that) and age in transactions; prepared
-- transactions, and seconds of the oldest one; replication slots that nobody reads from.
select
    held.pid, held.role, held.seconds, held.age,
    prepared.count, prepared.seconds,
    array(
        select slot_name::text from pg_replication_slots
        where not active and (xmin is not null or catalog_xmin is not null or restart_lsn is not null)
        order by 1
    )
from (
    select count(*) as count, max(extract(epoch from clock_timestamp() - p.prepared))::bigint as seconds
    from pg_prepared_xacts p where p.database = current_database()
) as prepared
left join lateral (
    select
        a.pid, a.usename::text as role, extract(epoch from clock_timestamp() - a.xact_start)::bigint as seconds,
        greatest(age(a.backend_xmin), age(a.backend_xid)) as age
    from pg_stat_activity a
    where a.pid <> pg_backend_pid() and (a.backend_xmin is not null or a.backend_xid is not null)
      and (a.datname = current_database() or a.datname is null)
      and a.backend_type is distinct from 'autovacuum worker'
    order by greatest(age(a.backend_xmin), age(a.backend_xid)) desc
    limit 1
) as held on true
