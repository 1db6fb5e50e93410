-- nudged's tables without row-level security, partitions included. nudged.migration is left out: it is about no user.
-- Rows: name.
select c.relname::text
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'nudged' and c.relkind in ('r', 'p') and c.relname <> 'migration' and not c.relrowsecurity
order by 1
