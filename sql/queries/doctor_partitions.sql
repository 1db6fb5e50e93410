-- How many days in a row the record has partitions for, from today (UTC) on. One row.
select min(d.ahead)
from generate_series(0, 400) as d (ahead)
where not exists (
    select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'nudged' and c.relname = 'delivery_' || to_char((statement_timestamp() at time zone 'UTC')::date + d.ahead, 'YYYYMMDD')
)
