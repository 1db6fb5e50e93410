-- A user's range, and the daemon that owns it. $1 user. One row: range, daemon id (null: the range is free).
select r.id, m.daemon_id
from nudged.range r left join nudged.member m on m.id = r.owner
where r.id = uuid_hash($1) >> 26
