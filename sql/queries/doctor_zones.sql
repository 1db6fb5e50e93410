-- The current offset of each zone, by the server's own files or the system's. Rows: name, seconds east of UTC. No name
-- is passed to AT TIME ZONE, which would keep each of them in the session's memory.
select name, extract(epoch from utc_offset)::integer
from pg_timezone_names
where name like '%/%' and name not like 'posix/%' and name not like 'right/%'
