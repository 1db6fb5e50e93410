-- Deletes tokens that a 410 proved stale, in the transaction of their settlement and after it: only where the record holds that answer. Where the
-- settlement did nothing (the lease had ended, or a promoted standby never had the intent) nothing goes either: a user who is asked again without the
-- device would get nothing, and no row would ever say why.
-- Parallel: $1 user, $2 token, $3 environment, $4 topic, $5 the answer's instant, $6 apns-id. $7 the earliest instant of the settlement's rows, which
-- leaves older partitions out. One row: deleted.
with refused as materialized (
    select apns_id from nudged.delivery where user_id = any ($1) and attempted_at >= $7 and outcome = 'rejected'
)
select count(*) filter (where nudged.forget_device(d.user_id, d.token, d.environment, d.topic, d.unregistered_at))
from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::uuid[])
    as d (user_id, token, environment, topic, unregistered_at, apns_id)
-- "is true" keeps the planner from making a join of it: so it is a hashed subplan.
where (d.apns_id in (select apns_id from refused)) is true
