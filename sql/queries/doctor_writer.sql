-- Whether the functions that write the app's tables run with the rights of nudged_writer, and whether nudged_writer has
-- the rights that they need. Rows, one for each relation that they write: its name; whether the role nudged_writer
-- exists; how many of these functions it owns; those that other roles own; these roles; the privileges that
-- nudged_writer lacks; whether row-level security hides rows from it.
--
-- It reads the catalog only: the daemon's role may not read nudged.role_right. If the app's view nudged.device is
-- written, nudged.forget_device depends on it.
with writer as (
    select r.oid, r.rolsuper or r.rolbypassrls as sees_all from pg_roles r where r.rolname = 'nudged_writer'
),
call as (
    select p.oid, p.proname::text as name, p.proowner, p.proowner is distinct from (select w.oid from writer w) as is_foreign
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'nudged' and p.proname in ('write_device', 'remove_device', 'forget_device', 'drop_devices', 'devices_left_out')
),
written as (
    select c.oid, format('%I.%I', n.nspname, c.relname) as name, c.relrowsecurity, array['select', 'insert', 'update', 'delete'] as wanted
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relname = 'push_tokens' and c.relkind in ('r', 'p')
    union all
    select distinct c.oid, format('%I.%I', n.nspname, c.relname), false, array['select', 'update', 'delete']
    from pg_depend d
    join call f on d.classid = 'pg_proc'::regclass and d.objid = f.oid and f.name = 'forget_device'
    join pg_class c on d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid and c.relname = 'device'
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'nudged'
)
select
    t.name,
    exists (select 1 from writer),
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
from written t
order by t.name
