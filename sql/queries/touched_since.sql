-- Asked once the intent is committed and before the first byte: whose data changed up to now. The version counts beside the touches, since another
-- daemon can have drained one in between. Parallel: $1 users, $2 the versions that were decided on.
select user_id from nudged.touched where user_id = any ($1)
union all
-- The join's side is read by the list first: where the table is distributed, a list can't be joined with it otherwise.
select w.user_id
from unnest($1::uuid[], $2::bigint[]) as w (user_id, version)
left join (select user_id, version from nudged.person where user_id = any ($1)) p on p.user_id = w.user_id
where p.version is distinct from w.version
