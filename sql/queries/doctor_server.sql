-- The server, and this session's role. One row: version as a number and as text, whether it is in recovery, whether it
-- takes writes, its clock; the role, whether it is a superuser, whether it bypasses row-level security, whether it owns
-- nudged's tables; whether the schema exists, whether the role may use it, whether autovacuum is on, whether the citus
-- extension exists.
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
