-- What server this is, and who we are there. One row: version as a number and in words, whether it is in recovery, whether it takes writes, its clock, our
-- role, whether that is a superuser, whether it passes by row-level security, whether nudged's tables are its own; whether the schema is there, whether we may
-- look into it, whether dead rows are cleaned up, whether the tables are distributed.
select
    current_setting('server_version_num')::integer,
    current_setting('server_version'),
    pg_is_in_recovery(),
    not current_setting('transaction_read_only')::boolean,
    clock_timestamp(),
    r.rolname::text,
    r.rolsuper,
    r.rolbypassrls,
    coalesce(pg_has_role(p.relowner, 'usage'), false),
    n.oid is not null,
    coalesce(has_schema_privilege(n.oid, 'usage'), false),
    current_setting('autovacuum')::boolean and current_setting('track_counts')::boolean,
    exists (select 1 from pg_extension where extname = 'citus')
from pg_roles r
left join pg_namespace n on n.nspname = 'nudged'
left join pg_class p on p.relnamespace = n.oid and p.relname = 'person'
where r.rolname = current_user
