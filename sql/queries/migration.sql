-- name: set_up_role
-- The database in which `nudged migrate` is to work, and what this session's role may do there. One row: the database;
-- the server's version as a number and as text; whether it takes writes; the role, whether it may create a schema and
-- roles; the owner of schema nudged (null: no schema), whether the role is a member of it, what the schema holds;
-- whether the role may create tables in schema public; tables there that nudged does not read (at most 100); which of
-- nudged's roles exist, whether nudged_daemon may log in; whether the citus extension exists; the owner of schema
-- nudged_api (null: no schema), whether the role is a member of it; the database's encoding.
select
    current_database()::text, current_setting('server_version_num')::integer, current_setting('server_version'),
    not pg_is_in_recovery() and not current_setting('transaction_read_only')::boolean,
    r.rolname::text, has_database_privilege(current_database(), 'create'), r.rolsuper or r.rolcreaterole,
    pg_get_userbyid(n.nspowner)::text, coalesce(pg_has_role(n.nspowner, 'usage'), false),
    array(
        select c.relname::text from pg_class c
        where c.relnamespace = n.oid and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and not c.relispartition order by 1 limit 100
    ),
    coalesce(has_schema_privilege((select oid from pg_namespace where nspname = 'public'), 'create'), false),
    array(
        select c.relname::text from pg_class c
        where c.relnamespace = (select oid from pg_namespace where nspname = 'public')
          and c.relkind in ('r', 'p') and not c.relispartition and c.relname not in ('context_profiles', 'push_tokens')
          and not exists (select 1 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
          and not exists (select 1 from pg_inherits h where h.inhrelid = c.oid)
        order by 1 limit 100
    ),
    array(select o.rolname::text from pg_roles o where o.rolname in ('nudged_daemon', 'nudged_app', 'nudged_writer') order by 1),
    exists (select 1 from pg_roles o where o.rolname = 'nudged_daemon' and o.rolcanlogin),
    exists (select 1 from pg_extension where extname = 'citus'),
    pg_get_userbyid(a.nspowner)::text, coalesce(pg_has_role(a.nspowner, 'usage'), false),
    current_setting('server_encoding'), coalesce(a.nspname, 'nudged_api')::text
from pg_roles r left join pg_namespace n on n.nspname = 'nudged'
left join lateral (
    select nspname, nspowner from pg_namespace where nspname in ('nudged_api', 'nudged_me') order by pg_has_role(nspowner, 'usage'), nspname limit 1
) a on true where r.rolname = current_user

-- name: set_up_relations
-- The tables and views that `nudged migrate` uses if they exist. $1 schemas, $2 the name in each. Rows, in this order
-- and in that of the columns: the place in $1; pg_class.relkind, the owner, whether this session's role is a member of
-- it; whether a view of nudged reads it; a column, its type (of a domain: the base type), both null if there is no
-- column; whether nudged created it, as its comment says.
select
    w.place, c.relkind::text, pg_get_userbyid(c.relowner)::text, pg_has_role(c.relowner, 'usage'),
    exists (
        select 1 from pg_class v
        join pg_rewrite u on u.ev_class = v.oid
        join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = u.oid and d.refclassid = 'pg_class'::regclass
        where v.relnamespace = (select oid from pg_namespace where nspname = 'nudged') and v.relname in ('recipient', 'device') and d.refobjid = c.oid
    ),
    a.attname::text, replace(format_type(case when t.typtype = 'd' then t.typbasetype else t.oid end, null), '"', ''),
    coalesce(obj_description(c.oid, 'pg_class') like '%nudged created it.', false)
from unnest($1::text[], $2::text[]) with ordinality as w (schema, name, place)
join pg_namespace n on n.nspname = w.schema join pg_class c on c.relnamespace = n.oid and c.relname = w.name
left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
left join pg_type t on t.oid = a.atttypid order by w.place, a.attnum

-- name: migrations_applied
-- Which migrations this database has. Rows: number, checksum, the migration that a daemon must know (null or 0: any
-- daemon can work). Read through JSON: an earlier version's table has no such column.
select number, checksum, (to_jsonb(m) ->> 'oldest')::integer from nudged.migration m order by number

-- name: migrations_needed
-- The number of the newest migration that a daemon must know to work with this schema; 0: any daemon can.
select coalesce(max(oldest), 0) from nudged.migration

-- name: binding_faults
-- nudged's views and triggers that are missing, disabled, or bound to other tables than those of nudged's names. Rows:
-- view or trigger, what is wrong, whether `nudged migrate` can bind it again, whether the daemon must not send.
select object, fault, is_fixable, stops from nudged.binding_faults()

-- name: is_misbound
-- Whether a view reads other tables than it was made for. It also notes views that the app has defined again. One row.
select nudged.is_misbound()

-- name: hidden
-- Whether row-level security hides nudged's rows from this role, or the app's rows from the owners of the views that
-- read them. Then the daemon would find no users, without an error. PostgreSQL's rules are applied: not to a superuser,
-- not to the table's owner unless forced, not where a policy lets the role read. One row.
with reading as (
    select to_regclass('nudged.person')::oid as relation, (select oid from pg_roles where rolname = current_user) as reader
    union
    -- A view reads with its owner's rights.
    select d.refobjid, v.relowner
    from pg_class v join pg_rewrite w on w.ev_class = v.oid
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid and d.refclassid = 'pg_class'::regclass
    where v.oid in (to_regclass('nudged.recipient'), to_regclass('nudged.device'))
)
select exists (
    select 1
    from reading g join pg_class c on c.oid = g.relation and c.relrowsecurity
    join pg_roles r on r.oid = g.reader
    where not r.rolsuper and not r.rolbypassrls
      and (c.relforcerowsecurity or not pg_has_role(g.reader, c.relowner, 'usage'))
      and not exists (
          select 1 from pg_policy p cross join lateral unnest(p.polroles) as o (role)
          where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('r', '*') and (o.role = 0 or pg_has_role(g.reader, o.role, 'usage'))
      )
)

-- name: roles_wanting
-- Which of nudged's roles can't be used yet: the migration was not allowed to make them, or they were made after it.
-- nudged_daemon must be able to use schema nudged, nudged_app schema nudged_api. nudged_writer must own the functions
-- that write the app's table. Rows: role, whether it exists.
select wanted.role, r.oid is not null
from unnest(array['nudged_daemon', 'nudged_app', 'nudged_writer']) with ordinality as wanted (role, place)
left join pg_roles r on r.rolname = wanted.role
where r.oid is null or case wanted.role
    when 'nudged_daemon' then not has_schema_privilege(r.oid, 'nudged', 'usage')
    when 'nudged_app' then not has_schema_privilege(r.oid, 'nudged_api', 'usage')
    else exists (
        select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'public' and c.relname = 'push_tokens' and c.relkind in ('r', 'p')
    ) and exists (
        select 1 from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname = 'nudged' and p.proname = 'write_device' and p.proowner <> r.oid
    )
end
order by wanted.place

-- name: excess_rights
-- Rights on nudged's objects that nobody gave by nudged.allow. $1 the most rows. Rows: role (public: every role),
-- object, the role's privileges on it, the statement that takes them back.
select role, object, string_to_array(privileges, ', '), statement from nudged.excess_right order by role, object limit $1
