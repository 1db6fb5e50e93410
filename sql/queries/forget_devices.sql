-- Deletes tokens that a 410 proved stale. Parallel: $1 user, $2 token, $3 environment, $4 topic, $5 the answer's instant. One row: deleted.
select count(*) filter (where nudged.forget_device(d.user_id, d.token, d.environment, d.topic, d.unregistered_at))
from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::timestamptz[])
    as d (user_id, token, environment, topic, unregistered_at)
