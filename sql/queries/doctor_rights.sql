-- Which rights our role has on objects of schema nudged. $1 names, $2 beside each the privilege: select, insert, update, delete, of one column as in update (id),
-- or execute for a call.
-- The catalog is asked, and no name is cast to an object: without the right to look into the schema that would be an error. Rows, in the order of $1:
-- whether the object is there, whether the right is.
select
    o.oid is not null,
    coalesce(
        case
            when w.privilege = 'execute' then has_function_privilege(o.oid, 'execute')
            when w.privilege like '% (%' then has_column_privilege(o.oid, split_part(rtrim(w.privilege, ')'), ' (', 2), split_part(w.privilege, ' (', 1))
            else has_table_privilege(o.oid, w.privilege)
        end, false)
from unnest($1::text[], $2::text[]) with ordinality as w (name, privilege, place)
left join lateral (
    select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'nudged' and c.relname = w.name and w.privilege <> 'execute'
    union all
    select p.oid from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = 'nudged' and p.proname = w.name and w.privilege = 'execute'
) as o on true
order by w.place
