-- Sweeps that recorded something between two instants: how many of each size, and the largest. $1 from, $2 before, $3
-- least records of a sweep that is listed singly, $4 most of those.
-- Rows of a size: null, its class (0 below 5 records, 1 below 50, 2 below 500, 3 below 5,000, 4 more), sweeps, their
-- records, the longest's seconds, zeros.
-- Rows of a single sweep: its first attempt, its class, 1, its records, the seconds from its first attempt to its last,
-- and how many records say accepted, rejected or deferred, unknown, dropped or skipped.
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
