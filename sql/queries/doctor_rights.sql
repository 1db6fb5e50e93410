-- Which rights this role has on objects of schema nudged. $1 names, $2 the privilege for each: select, insert, update,
-- delete, one column as in update (id), or execute for a function.
-- It reads the catalog and casts no name to an object, since a cast fails without the right to use the schema. Rows, in
-- the order of $1: whether the object exists, whether the role has the right (of functions with one name: on all of
-- them).
select o.is_there, coalesce(o.is_granted, false)
from unnest($1::text[], $2::text[]) with ordinality as w (name, privilege, place)
cross join lateral (
    select
        count(*) > 0 as is_there,
        bool_and(case
            when w.privilege = 'execute' then has_function_privilege(f.oid, 'execute')
            when w.privilege like '% (%' then has_column_privilege(f.oid, split_part(rtrim(w.privilege, ')'), ' (', 2), split_part(w.privilege, ' (', 1))
            else has_table_privilege(f.oid, w.privilege)
        end) as is_granted
    from (
        select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'nudged' and c.relname = w.name and w.privilege <> 'execute'
        union all
        select p.oid from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname = 'nudged' and p.proname = w.name and w.privilege = 'execute'
    ) as f
) as o
order by w.place
