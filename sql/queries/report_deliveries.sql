-- The record between two instants, counted by stretches of time. $1 from, $2 before, $3 seconds of a stretch (counted
-- from 1970), $4 most rows.
-- Reads the partitions of those days once, and no table of users.
-- Rows: number of the stretch, kind, outcome, reason, whether Apple answered 410, how many. The most frequent come
-- first, so little is lost if $4 is reached.
select
    floor(date_part('epoch', attempted_at) / $3)::bigint as stretch,
    case when kind in ('check_in', 'message', 'reminder') then kind else 'other' end as what,
    outcome,
    -- A reason of Apple's or nudged's is one word. Anything else is not shown, since a server could have answered with
    -- any text.
    case when reason is null then '' when reason ~ '^[A-Za-z_]{1,40}$' then reason else 'other' end as why,
    coalesce(status = 410, false) as is_gone,
    count(*)
from nudged.delivery
where attempted_at >= $1 and attempted_at < $2
group by 1, 2, 3, 4, 5
order by 6 desc, 1, 2, 3, 4, 5
limit $4
