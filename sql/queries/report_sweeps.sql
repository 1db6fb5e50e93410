-- Sweeps that recorded something between two instants: how many by how much, and the largest. $1 from, $2 before, $3 least records of one that is named, $4 most of those.
-- Rows: null and then a class (0 below 5 records, 1 below 50, 2 below 500, 3 below 5,000, 4 more), sweeps, their records, the longest's seconds; or a sweep's
-- first attempt, its class, 1, its records, its seconds from the first attempt to the last, and of its records those with each outcome: accepted, rejected or
-- deferred, unknown, dropped or skipped (zeros for a class).
with sweep as materialized (
    select
        min(attempted_at) as began, ceil(date_part('epoch', max(attempted_at) - min(attempted_at)))::bigint as seconds, count(*) as records,
        count(*) filter (where outcome = 'accepted') as accepted,
        count(*) filter (where outcome in ('rejected', 'deferred')) as refused,
        count(*) filter (where outcome = 'unknown') as lost
    from nudged.delivery
    where attempted_at >= $1 and attempted_at < $2
    group by sweep_id
),
classed as (
    select *, case when records < 5 then 0 when records < 50 then 1 when records < 500 then 2 when records < 5000 then 3 else 4 end as class from sweep
)
select null::timestamptz, class, count(*), sum(records)::bigint, max(seconds), 0::bigint, 0::bigint, 0::bigint, 0::bigint
from classed
group by class
union all
select * from (
    select began, class, 1::bigint, records, seconds, accepted, refused, lost, records - accepted - refused - lost
    from classed
    where records >= $3
    order by records desc, began
    limit $4
) as largest
