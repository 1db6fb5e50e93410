-- Live and dead rows, by PostgreSQL's own estimate. $1 tables of schema nudged. Rows: name, live, dead, whether
-- autovacuum is off for the table.
select
    s.relname::text, s.n_live_tup, s.n_dead_tup,
    exists (select 1 from unnest(c.reloptions) as o (text) where o.text ~ '^autovacuum_enabled=(false|off|no|0|f|n)$')
from pg_stat_all_tables s
join pg_class c on c.oid = s.relid
where s.schemaname = 'nudged' and s.relname = any ($1::text[])
order by 1
