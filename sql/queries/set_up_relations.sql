-- The tables and views that `nudged migrate` uses if they exist. $1 schemas, $2 the name in each. Rows, in this order
-- and in that of the columns: the place in $1; pg_class.relkind, the owner, whether this session's role is a member of
-- it; whether a view of nudged reads it; a column, its type (of a domain: the base type). The last two are null if
-- there is no column.
select
    w.place, c.relkind::text, pg_get_userbyid(c.relowner)::text, pg_has_role(c.relowner, 'usage'),
    exists (
        select 1 from pg_class v
        join pg_rewrite u on u.ev_class = v.oid
        join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = u.oid and d.refclassid = 'pg_class'::regclass
        where v.relnamespace = (select oid from pg_namespace where nspname = 'nudged') and v.relname in ('recipient', 'device') and d.refobjid = c.oid
    ),
    a.attname::text, format_type(case when t.typtype = 'd' then t.typbasetype else t.oid end, null)
from unnest($1::text[], $2::text[]) with ordinality as w (schema, name, place)
join pg_namespace n on n.nspname = w.schema
join pg_class c on c.relnamespace = n.oid and c.relname = w.name
left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
left join pg_type t on t.oid = a.atttypid
order by w.place, a.attnum
