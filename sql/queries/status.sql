-- The state of the work, at a bounded cost: due users are counted up to $3, all else up to $1. $2 all ranges.
-- One row: the clock, users who are due, since when the first of them is due, touches, open intents and their pushes,
-- unknown pushes of the last 24 hours, free ranges.
select
    statement_timestamp(),
    due.users,
    due.first,
    (select count(*) from (select 1 from nudged.touched limit $1) as touches),
    open.intents,
    open.pushes,
    (
        select count(*) from (
            select 1 from nudged.delivery
            where outcome = 'unknown' and attempted_at > statement_timestamp() - interval '24 hours'
            limit $1
        ) as lost
    ),
    (select count(*) from nudged.range where owner is null)
from (
    -- Users of urgent messages are due since 1970 (drain.sql). The reader is shown when the message came.
    select count(*) as users, min(case when due_at < '1971-01-01Z' then coalesce(touched_at, statement_timestamp()) else due_at end) as first
    from (
        select due_at, touched_at from nudged.person
        where uuid_hash(user_id) >> 26 = any ($2::integer[]) and due_at <= statement_timestamp()
        limit $3
    ) as first_due
) as due
cross join (
    select count(*) as intents, coalesce(sum(cardinality(user_ids)), 0)::bigint as pushes
    from (select user_ids from nudged.intent where withdrawn_until is null order by id limit $1) as intents
) as open
