-- Writes the environments in which devices work into the table of devices, if nudged created it. Parallel: $1 user, $2
-- token, $3 environment, $4 topic. One row: how many rows have changed.
select count(*) filter (where nudged.move_device(d.user_id, d.token, d.environment, d.topic))
from unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) as d (user_id, token, environment, topic)
