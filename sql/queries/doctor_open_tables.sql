-- nudged's tables on which row-level security is off, partitions included. (The list of migrations is about nobody.) Rows: name.
select c.relname::text
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'nudged' and c.relkind in ('r', 'p') and c.relname <> 'migration' and not c.relrowsecurity
order by 1
