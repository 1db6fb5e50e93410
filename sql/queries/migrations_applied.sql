-- Which migrations this database has. Rows: number, checksum.
select number, checksum from nudged.migration order by number
