-- name: doctor_server
-- The server, and this session's role. One row: version as a number and as text, whether it is in recovery, whether it
-- takes writes, its clock in microseconds since 1970; the role, whether it is a superuser, whether it bypasses row-level
-- security, whether it owns nudged's tables; whether the schema exists, whether the role may use it, whether autovacuum
-- is on; the database's encoding, whether this session fires triggers; who may create functions where statements of the
-- app look for them: schemas and roles, in turn. Owners and superusers are left out. A role without a name is everybody.
select
    current_setting('server_version_num')::integer, current_setting('server_version'), pg_is_in_recovery(),
    not current_setting('transaction_read_only')::boolean, (extract(epoch from clock_timestamp()) * 1000000)::bigint,
    r.rolname::text, r.rolsuper, r.rolbypassrls, coalesce(pg_has_role(p.relowner, 'usage'), false),
    n.oid is not null, coalesce(has_schema_privilege(n.oid, 'usage'), false),
    current_setting('autovacuum')::boolean and current_setting('track_counts')::boolean,
    current_setting('server_encoding'), current_setting('session_replication_role') <> 'replica',
    array(
        select w.word
        from pg_namespace s cross join lateral aclexplode(s.nspacl) a
        cross join lateral unnest(array[s.nspname::text, coalesce((select g.rolname::text from pg_roles g where g.oid = a.grantee), '')]) with ordinality as w (word, place)
        where s.nspname in ('pg_catalog', 'public') and a.privilege_type = 'CREATE'
          and a.grantee not in (s.nspowner, coalesce(n.nspowner, 0), (select datdba from pg_database where datname = current_database()))
          and not exists (select 1 from pg_roles g where g.oid = a.grantee and g.rolsuper)
        order by s.nspname, a.grantee, w.place
    )
from pg_roles r left join pg_namespace n on n.nspname = 'nudged'
left join pg_class p on p.relnamespace = n.oid and p.relname = 'person' where r.rolname = current_user

-- name: doctor_zones
-- The current offset of each zone, by the server's own files or the system's. Rows: name, seconds east of UTC. No name
-- is passed to AT TIME ZONE, which would keep each of them in the session's memory.
select name, extract(epoch from utc_offset)::integer
from pg_timezone_names where name like '%/%' and name not like 'posix/%' and name not like 'right/%'

-- name: doctor_used_zones
-- The names of zones that are in use, of $1 profiles and $1 reminders. The 1,000 most frequent: name, how often.
select z.name, count(*) from (
    (select substring(nudged.preferences_text(r.preferences) from '"timezone": ?"([^"]{1,255})"') from nudged.recipient r limit $1)
    union all (select left(r.timezone::text, 255) from nudged.recipient r limit $1)
    union all (select o.timezone from nudged.occurrence o limit $1)
) as z (name) where z.name <> '' group by z.name order by 2 desc, 1 limit 1000

-- name: doctor_waiting_zones
-- The zones of users whose messages wait, of at most $1 messages that are not urgent. Rows: the
-- preferences' zone, the profile's zone, how many messages.
select w.wished, w.known, count(*) from (
    select substring(nudged.preferences_text(r.preferences) from '"timezone": ?"([^"]{1,255})"') as wished, left(r.timezone::text, 255) as known
    from nudged.message m join nudged.recipient r on r.user_id = m.user_id where not m.urgent limit $1
) w group by 1, 2

-- name: doctor_texts
-- Whether check-ins lack a text: no template is active, and one of at most $1 profiles has check-ins on.
select
    not exists (select 1 from nudged.template where active)
    and exists (select 1 from (select preferences from nudged.recipient limit $1) r where nudged.preferences_text(r.preferences) ~ '"check_ins_enabled": ?true')

-- name: doctor_seen
-- Whether no app has ever called seen.
select not exists (select 1 from nudged.seen)

-- name: doctor_app_tables
-- The app's tables. $1 names in schema public. Rows, in the order of $1: whether row-level security is on, whether an index
-- begins with user_id, which of anon and authenticated may read it, whether nudged's views read it (no if missing).
select
    coalesce(c.relrowsecurity, false),
    exists (
        select 1 from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
        where i.indrelid = c.oid and i.indisvalid and i.indpred is null and a.attname = 'user_id'
    ),
    array(select r.rolname::text from pg_roles r where r.rolname in ('anon', 'authenticated') and has_table_privilege(r.oid, c.oid, 'select') order by 1),
    exists (
        select 1
        from pg_class v join pg_rewrite u on u.ev_class = v.oid
        join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = u.oid and d.refclassid = 'pg_class'::regclass
        where v.relnamespace = (select oid from pg_namespace where nspname = 'nudged') and v.relname in ('recipient', 'device') and d.refobjid = c.oid
    )
from unnest($1::text[]) with ordinality as w (name, place)
left join pg_class c on c.relname = w.name and c.relnamespace = (select oid from pg_namespace where nspname = 'public')
order by w.place

-- name: doctor_columns
-- The columns of the views of the app. $1 names in schema nudged. Rows: view, column, type (a domain's base type).
select c.relname::text, a.attname::text, replace(format_type(case when t.typtype = 'd' then t.typbasetype else t.oid end, null), '"', '')
from pg_class c join pg_namespace n on n.oid = c.relnamespace
join pg_attribute a on a.attrelid = c.oid join pg_type t on t.oid = a.atttypid
where n.nspname = 'nudged' and c.relname = any ($1::text[]) and a.attnum > 0 and not a.attisdropped order by 1, 2

-- name: doctor_rights
-- Which rights this role has on objects of schema nudged. $1 names, $2 the privilege for each: select, insert, update,
-- delete, one column as in update (id), or execute for a function. It reads the catalog and casts no name to an object,
-- since a cast fails without the right to use the schema. Rows, in the order of $1: whether the object exists, whether
-- the role has the right (of functions with one name: on all of them). nudged.forget_devices counts as missing without
-- nudged.forget_device, which it calls: an app defines that function itself, or drops it with its view.
select o.is_there, coalesce(o.is_granted, false)
from unnest($1::text[], $2::text[]) with ordinality as w (name, privilege, place) cross join lateral (
    select
        count(*) > 0 and (w.name <> 'forget_devices' or exists (
            select 1 from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'nudged' and p.proname = 'forget_device'
        )) as is_there,
        bool_and(case
            when w.privilege = 'execute' then has_function_privilege(f.oid, 'execute')
            when w.privilege like '% (%' then has_column_privilege(f.oid, split_part(rtrim(w.privilege, ')'), ' (', 2), split_part(w.privilege, ' (', 1))
            else has_table_privilege(f.oid, w.privilege)
        end) as is_granted
    from (
        select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'nudged' and c.relname = w.name and w.privilege <> 'execute'
        union all select p.oid from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname = 'nudged' and p.proname = w.name and w.privilege = 'execute'
    ) as f
) as o order by w.place

-- name: doctor_writer
-- Whether the functions that write the app's tables run with the rights of nudged_writer, and whether nudged_writer has
-- the rights that they need. Rows, one for each relation that they write: its name; whether the role nudged_writer
-- exists; how many of these functions it owns; those that other roles own; these roles; the privileges that
-- nudged_writer lacks; whether row-level security hides rows from it. It reads the catalog only: the daemon's role may
-- not read nudged.role_right. If the app's view nudged.device is written, nudged.forget_device depends on it.
with writer as (select r.oid, r.rolsuper or r.rolbypassrls as sees_all from pg_roles r where r.rolname = 'nudged_writer'),
call as (
    select p.oid, p.proname::text as name, p.proowner, p.proowner is distinct from (select w.oid from writer w) as is_foreign
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'nudged' and p.proname in ('write_device', 'remove_device', 'forget_device', 'drop_devices', 'devices_left_out')
),
written as (
    select c.oid, format('%I.%I', n.nspname, c.relname) as name, c.relrowsecurity, array['select', 'insert', 'update', 'delete'] as wanted
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and c.relname = 'push_tokens' and c.relkind in ('r', 'p')
    union all select distinct c.oid, format('%I.%I', n.nspname, c.relname), false, array['select', 'update', 'delete']
    from pg_depend d join call f on d.classid = 'pg_proc'::regclass and d.objid = f.oid and f.name = 'forget_device'
    join pg_class c on d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid and c.relname = 'device'
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'nudged'
)
select
    t.name, exists (select 1 from writer),
    (select count(*) from call f where not f.is_foreign),
    array(select f.name from call f where f.is_foreign order by 1),
    array(select distinct pg_get_userbyid(f.proowner)::text from call f where f.is_foreign order by 1),
    array(
        select p.privilege from writer w, unnest(t.wanted) with ordinality as p (privilege, place)
        where not has_table_privilege(w.oid, t.oid, p.privilege) order by p.place
    ),
    t.relrowsecurity and exists (
        select 1 from writer w
        where not w.sees_all and not exists (
            select 1 from pg_policy y
            where y.polrelid = t.oid and y.polpermissive and y.polcmd = '*' and y.polroles && array[0, w.oid]
              and pg_get_expr(y.polqual, y.polrelid) = 'true'
        )
    )
from written t order by t.name

-- name: doctor_open_tables
-- nudged's tables without row-level security, partitions included. nudged.migration is left out: it is about no user.
select c.relname::text
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'nudged' and c.relkind in ('r', 'p') and c.relname <> 'migration' and not c.relrowsecurity order by 1

-- name: doctor_partitions
-- How many days in a row the record has partitions for, from today (UTC) on. One row.
select min(d.ahead)
from generate_series(0, 400) as d (ahead)
where not exists (
    select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'nudged' and c.relname = 'delivery_' || to_char((statement_timestamp() at time zone 'UTC')::date + d.ahead, 'YYYYMMDD')
)

-- name: doctor_bloat
-- PostgreSQL's estimate of rows. $1 tables of schema nudged. Rows: name, live, dead, whether autovacuum is off for it.
select
    s.relname::text, s.n_live_tup, s.n_dead_tup,
    exists (select 1 from unnest(c.reloptions) as o (text) where o.text ~ '^autovacuum_enabled=(false|off|no|0|f|n)$')
from pg_stat_all_tables s join pg_class c on c.oid = s.relid where s.schemaname = 'nudged' and s.relname = any ($1::text[]) order by 1

-- name: doctor_holders
-- What keeps dead rows from being cleaned up. One row: of the session with the oldest snapshot or transaction its
-- process, role, seconds of its transaction (null: this role may not see that) and age in transactions; prepared
-- transactions, and seconds of the oldest one; replication slots that nobody reads from.
select
    held.pid, held.role, held.seconds, held.age, prepared.count, prepared.seconds,
    array(
        select slot_name::text from pg_replication_slots
        where not active and (xmin is not null or catalog_xmin is not null or restart_lsn is not null) order by 1
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
    order by greatest(age(a.backend_xmin), age(a.backend_xid)) desc limit 1
) as held on true
