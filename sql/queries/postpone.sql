-- Sets when users are due. Parallel, in the order of user_id, like all writers that wait for locks: $1 user, $2 the
-- version at the claim (null: any version), $3 when they are due. A user who was changed meanwhile stays due.
update nudged.person p set due_at = w.due_at
from unnest($1::uuid[], $2::bigint[], $3::timestamptz[]) as w (user_id, version, due_at)
where p.user_id = w.user_id and (w.version is null or p.version = w.version)
