-- Which migrations this database has. Rows: number, checksum, the oldest migration that a daemon must know beside it (null: any will do). Read as
-- json, since a database that an earlier version migrated has no such column yet.
select number, checksum, (to_jsonb(m) ->> 'oldest')::integer from nudged.migration m order by number
