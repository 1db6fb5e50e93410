-- How the work stands, at a bounded cost: nothing is counted beyond $1.
-- One row: the clock, users due, since when the first is due, touches, chunks and pushes of open intents, unknown pushes of the last 24 h.
select
    statement_timestamp(),
    (select count(*) from (select from nudged.person where due_at <= statement_timestamp() limit $1) as due),
    (select due_at from nudged.person where due_at <= statement_timestamp() order by due_at, user_id limit 1),
    (select count(*) from (select from nudged.touched limit $1) as touches),
    open.chunks,
    open.pushes,
    (
        select count(*) from (
            select from nudged.delivery
            where outcome = 'unknown' and attempted_at > statement_timestamp() - interval '24 hours'
            limit $1
        ) as lost
    )
from (
    select count(*) as chunks, coalesce(sum(cardinality(user_ids)), 0)::bigint as pushes
    from (select user_ids from nudged.intent order by lease_id, number limit $1) as intents
) as open
