-- Asked once the intent is committed and before the first byte: whose data changed up to now. The version counts beside the touches, since another
-- daemon can have drained one in between. Parallel: $1 users, $2 the versions that were decided on.
select w.user_id
from unnest($1::uuid[], $2::bigint[]) as w (user_id, version)
where exists (select from nudged.touched t where t.user_id = w.user_id)
   or not exists (select from nudged.person p where p.user_id = w.user_id and p.version = w.version)
