-- Gives users back to be asked again later: those whose rows can't be read, so that they don't come up in each sweep, and those whose lane takes
-- nothing while others do. $1 lease id, parallel: $2 users, $3 the versions they were claimed with (null: whatever it is), $4 when. A user who was
-- changed meanwhile stays due.
-- The lists come in the order of user_id, and rows are found by them one after another, like every other writer's that waits: two daemons can't
-- deadlock.
update nudged.person p set
    lease_id = null,
    lease_until = null,
    due_at = case when w.version is null or p.version = w.version then w.due_at else p.due_at end
from unnest($2::uuid[], $3::bigint[], $4::timestamptz[]) as w (user_id, version, due_at)
where p.user_id = w.user_id and p.lease_id = $1
