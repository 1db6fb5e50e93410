-- The columns of the views through which the daemon reads the app. $1 names in schema nudged. Rows: view, column, its
-- type (of a domain: the base type).
select
    c.relname::text, a.attname::text, format_type(case when t.typtype = 'd' then t.typbasetype else t.oid end, null)
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
join pg_attribute a on a.attrelid = c.oid
join pg_type t on t.oid = a.atttypid
where n.nspname = 'nudged' and c.relname = any ($1::text[]) and a.attnum > 0 and not a.attisdropped
order by 1, 2
