-- The state of the app's tables. $1 names in schema public. Rows, in the order of $1: whether the table exists, whether
-- row-level security is on, whether an index begins with user_id, which of Supabase's roles anon and authenticated may
-- read it, whether nudged's views read it.
select
    c.oid is not null,
    coalesce(c.relrowsecurity, false),
    exists (
        select 1 from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
        where i.indrelid = c.oid and i.indisvalid and i.indpred is null and a.attname = 'user_id'
    ),
    array(
        select r.rolname::text from pg_roles r
        where r.rolname in ('anon', 'authenticated') and has_table_privilege(r.oid, c.oid, 'select')
        order by 1
    ),
    exists (
        select 1
        from pg_class v
        join pg_rewrite u on u.ev_class = v.oid
        join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = u.oid and d.refclassid = 'pg_class'::regclass
        where v.relnamespace = (select oid from pg_namespace where nspname = 'nudged') and v.relname in ('recipient', 'device') and d.refobjid = c.oid
    )
from unnest($1::text[]) with ordinality as w (name, place)
left join pg_class c on c.relname = w.name and c.relnamespace = (select oid from pg_namespace where nspname = 'public')
order by w.place
