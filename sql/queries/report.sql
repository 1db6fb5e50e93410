-- name: report_deliveries
-- The record between two instants, counted by stretches of time. $1 from, $2 before, $3 seconds of a stretch (counted
-- from 1970), $4 most rows. Reads the partitions of those days once, and no table of users. Rows: number of the
-- stretch, kind, outcome, reason, whether Apple answered 410, how many. The most frequent come first.
select
    floor(date_part('epoch', attempted_at) / $3)::bigint as stretch,
    case when kind in ('check_in', 'message', 'reminder') then kind else 'other' end as what,
    outcome,
    -- A reason of Apple's or nudged's is one word. A server could answer with any other text.
    case when reason is null then '' when reason ~ '^[A-Za-z_]{1,40}$' then reason else 'other' end as why,
    coalesce(status = 410, false) as is_gone, count(*)
from nudged.delivery where attempted_at >= $1 and attempted_at < $2 group by 1, 2, 3, 4, 5 order by 6 desc, 1, 2, 3, 4, 5 limit $4

-- name: report_hours
-- Pushes that Apple accepted between two instants: by the user's local hour, by whether that was in the user's quiet
-- hours, and by how late a check-in was. It uses the current preferences, since the record holds none. It also counts
-- the users who got them. $1 from, $2 before; the rules' quiet hours: $3 and $4 first and last minute of the day or
-- null; $5 the rules' time of check-ins as a minute of the day, null if it has jitter. Rows: local hour (null: no zone
-- was known), kind, whether the quiet hours in force are the user's own, whether it was sent within them, minutes late
-- by class (-1 before its time, 0 below 1, 1 below 5, 2 below 15, 3 below 60, 4 below 240, 5 more; null: unknown), how
-- many, false. Rows of users: null, kind (empty: any kind), false, false, null, users, true.
with
-- Each user once, with the kinds that they got as bits. One number takes less memory than a truth value for each kind.
reached as materialized (
    select user_id, bit_or(case kind when 'check_in' then 1 when 'message' then 2 when 'reminder' then 4 else 8 end) as kinds
    from nudged.delivery where attempted_at >= $1 and attempted_at < $2 and outcome = 'accepted' group by user_id
),
-- Preferences are read once per user, not once per push. json with U+0000 can't become jsonb.
wish as materialized (
    select
        r.user_id,
        case when pg_typeof(r.preferences) = 'jsonb'::regtype or strpos(r.preferences::text, chr(92) || 'u0000') = 0 then to_jsonb(r.preferences) end as wishes
    from reached join nudged.recipient r on r.user_id = reached.user_id
),
spoken as materialized (
    select
        user_id, wishes ->> 'check_in_time' as time, wishes ->> 'quiet_hours_start' as quiet_start, wishes ->> 'quiet_hours_end' as quiet_end,
        wishes ->> 'check_in_time' ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$' as is_timed,
        coalesce(
            wishes ->> 'quiet_hours_start' ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$' and wishes ->> 'quiet_hours_end' ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$', false
        ) as is_own
    from wish
),
person as materialized (
    select
        user_id, is_own,
        case when is_own then substr(quiet_start, 1, 2)::integer * 60 + substr(quiet_start, 4, 2)::integer else $3::integer end as quiet_from,
        case when is_own then substr(quiet_end, 1, 2)::integer * 60 + substr(quiet_end, 4, 2)::integer else $4::integer end as quiet_until,
        -- Null: the time is unknown, because it has jitter or is malformed.
        case when time is null then $5::integer when is_timed then substr(time, 1, 2)::integer * 60 + substr(time, 4, 2)::integer end as slot_minute
    from spoken
),
-- A check-in is sent at most six days after its slot's day, and a day before it only if its time was changed later. So
-- the days between the two weekdays are -1 to 5. OFFSET 0: the planner computes a push's values once.
timed as (
    select
        d.kind, coalesce(p.is_own, false) as is_own, p.quiet_from, p.quiet_until, d.local_minute % 1440 as minute,
        case when d.kind = 'check_in' then
            ((d.local_minute / 1440 + 9 - extract(isodow from d.slot)::integer) % 7 - 1) * 1440 + d.local_minute % 1440 - p.slot_minute
        end as late
    from nudged.delivery d left join person p on p.user_id = d.user_id
    where d.attempted_at >= $1 and d.attempted_at < $2 and d.outcome = 'accepted' offset 0
)
select
    minute / 60, case when kind in ('check_in', 'message', 'reminder') then kind else 'other' end, is_own,
    coalesce(case
        when quiet_from < quiet_until then minute >= quiet_from and minute < quiet_until
        when quiet_from > quiet_until then minute >= quiet_from or minute < quiet_until end, false),
    case
        when late is null then null when late < 0 then -1 when late < 1 then 0 when late < 5 then 1 when late < 15 then 2
        when late < 60 then 3 when late < 240 then 4 else 5 end,
    count(*), false
from timed group by 1, 2, 3, 4, 5
union all select null::integer, what.kind, false, false, null::integer, count(*), true
from reached
join (values ('', 15), ('check_in', 1), ('message', 2), ('reminder', 4), ('other', 8)) as what (kind, bits) on (reached.kinds & what.bits) <> 0
group by what.kind

-- name: report_opens
-- What users did with the nudges between two instants (nudged.opens). $1 from, $2 before. A newer schema may have more.
select kind, by, coalesce(value, 0), sent, users, opened, rated, raters, helpful from nudged.opens($1, $2)
where by is null or by in ('template', 'hour', 'weekday')

-- name: report_holdout
-- Users whose check-ins were due between two instants: whether they were held out, how many they are, and how many of
-- them the app saw since $3. $1 from, $2 before. A user who was active got no check-in, and counts beside those who got
-- one: else only the idle would be compared. A user who was both is left out, since policy.holdoutPercent was changed.
with due as materialized (
    select user_id, coalesce(bool_or(reason = 'holdout' and outcome = 'skipped'), false) as is_held_out
    from nudged.delivery
    where attempted_at >= $1 and attempted_at < $2 and kind = 'check_in'
      and (outcome in ('accepted', 'unknown') or outcome = 'skipped' and reason in ('holdout', 'active'))
    group by user_id having count(*) filter (where outcome = 'skipped' and reason = 'holdout') in (0, count(*))
),
met as (select d.is_held_out, count(*) as users from due d join nudged.seen s on s.user_id = d.user_id where s.at >= $3 group by d.is_held_out)
select d.is_held_out, count(*), coalesce((select m.users from met m where m.is_held_out = d.is_held_out), 0) from due d group by d.is_held_out

-- name: report_sweeps
-- Sweeps that recorded something between two instants: how many of each size, and the largest. $1 from, $2 before, $3
-- least records of a sweep that is listed singly, $4 most of those. Rows of a size: null, its class (0 below 5 records,
-- 1 below 50, 2 below 500, 3 below 5,000, 4 more), sweeps, their records, the longest's seconds, zeros. Rows of a
-- single sweep: its first attempt, its class, 1, its records, the seconds from its first attempt to its last, and how
-- many records say accepted, rejected or deferred, unknown, dropped or skipped.
with sweep as materialized (
    select
        min(attempted_at) as began, ceil(date_part('epoch', max(attempted_at) - min(attempted_at)))::bigint as seconds, count(*) as records,
        count(*) filter (where outcome = 'accepted') as accepted,
        count(*) filter (where outcome in ('rejected', 'deferred')) as refused,
        count(*) filter (where outcome = 'unknown') as lost
    from nudged.delivery where attempted_at >= $1 and attempted_at < $2 and outcome not in ('opened', 'helpful', 'unhelpful') group by sweep_id
),
classed as (select *, case when records < 5 then 0 when records < 50 then 1 when records < 500 then 2 when records < 5000 then 3 else 4 end as class from sweep)
select null::timestamptz, class, count(*), sum(records)::bigint, max(seconds), 0::bigint, 0::bigint, 0::bigint, 0::bigint from classed group by class
union all select * from (
    select began, class, 1::bigint, records, seconds, accepted, refused, lost, records - accepted - refused - lost
    from classed where records >= $3 order by records desc, began limit $4
) as largest

-- name: retention
-- For how many days the record is kept. One row: days; 36500 without a row of nudged.setting.
select coalesce(min(retention_days), 36500) from nudged.setting
