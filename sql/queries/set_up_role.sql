-- The database in which `nudged migrate` is to work, and what this session's role may do there. One row: the database;
-- the server's version as a number and as text; whether it takes writes; the role, whether it may create a schema and
-- roles; the owner of schema nudged (null: no schema), whether the role is a member of it, what the schema holds;
-- whether the role may create tables in schema public; tables there that nudged does not read (at most 100); which of
-- nudged's roles exist, whether nudged_daemon may log in; whether the citus extension exists; the owner of schema
-- nudged_api (null: no schema), whether the role is a member of it.
select
    current_database()::text,
    current_setting('server_version_num')::integer,
    current_setting('server_version'),
    not pg_is_in_recovery() and not current_setting('transaction_read_only')::boolean,
    r.rolname::text,
    has_database_privilege(current_database(), 'create'),
    r.rolsuper or r.rolcreaterole,
    pg_get_userbyid(n.nspowner)::text,
    coalesce(pg_has_role(n.nspowner, 'usage'), false),
    array(
        select c.relname::text from pg_class c
        where c.relnamespace = n.oid and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and not c.relispartition
        order by 1 limit 100
    ),
    coalesce(has_schema_privilege((select oid from pg_namespace where nspname = 'public'), 'create'), false),
    array(
        select c.relname::text from pg_class c
        where c.relnamespace = (select oid from pg_namespace where nspname = 'public')
          and c.relkind in ('r', 'p') and not c.relispartition and c.relname not in ('context_profiles', 'push_tokens')
          and not exists (
              select 1 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'
          )
        order by 1 limit 100
    ),
    array(select o.rolname::text from pg_roles o where o.rolname in ('nudged_daemon', 'nudged_app', 'nudged_writer') order by 1),
    exists (select 1 from pg_roles o where o.rolname = 'nudged_daemon' and o.rolcanlogin),
    exists (select 1 from pg_extension where extname = 'citus'),
    pg_get_userbyid(a.nspowner)::text,
    coalesce(pg_has_role(a.nspowner, 'usage'), false)
from pg_roles r
left join pg_namespace n on n.nspname = 'nudged'
left join pg_namespace a on a.nspname = 'nudged_api'
where r.rolname = current_user
