-- Which migrations this database has. Rows: number, checksum, the migration that a daemon must know (null or 0: any
-- daemon can work). The last one is read through JSON, since a database that an earlier version migrated has no such
-- column.
select number, checksum, (to_jsonb(m) ->> 'oldest')::integer from nudged.migration m order by number
