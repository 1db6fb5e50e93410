-- Gives users back to be asked again later: those whose rows can't be read, so that they don't come up in each sweep, and those whose lane takes
-- nothing while others do. $1 lease id, parallel: $2 users, $3 the versions they were claimed with (null: whatever it is), $4 when. A user who was
-- changed meanwhile stays due.
-- Locked in the order of user_id, like every other writer that waits: two daemons can't deadlock.
with wanted as materialized (
    select * from unnest($2::uuid[], $3::bigint[], $4::timestamptz[]) as w (user_id, version, due_at)
),
mine as materialized (
    select p.user_id, w.version, w.due_at
    from wanted w join nudged.person p on p.user_id = w.user_id
    where p.lease_id = $1
    order by p.user_id
    for update of p
)
update nudged.person p set
    lease_id = null,
    lease_until = null,
    due_at = case when m.version is null or p.version = m.version then m.due_at else p.due_at end
from mine m
where p.user_id = m.user_id and p.lease_id = $1
