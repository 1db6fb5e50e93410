-- Leases the next users who are due, and reads all that the policy asks about them.
-- $1 the policy's now, $2 and $3 where the last claim ended (due_at, user_id), $4 most users, $5 lease id, $6 lease in milliseconds,
-- $7 leases of ours that live: their outcomes are on the way, however long the database took. Whoever stands in an open intent of a dead lease
-- waits until recover.sql has recorded it.
with due as materialized (
    select user_id from nudged.person p
    where due_at <= $1
      and (due_at, user_id) > ($2, $3)
      and (lease_until is null or lease_until < statement_timestamp())
      and (
          lease_id is null
          or lease_id <> all ($7)
          and not exists (select from nudged.intent i where i.lease_id = p.lease_id and p.user_id = any (i.user_ids))
      )
    order by due_at, user_id
    limit $4
    for update skip locked
),
mine as (
    update nudged.person p
    set lease_id = $5, lease_until = statement_timestamp() + $6 * interval '1 millisecond'
    from due
    where p.user_id = due.user_id
    returning p.*
)
select
    m.user_id, m.version, m.due_at, m.touched_at, m.since, m.fingerprint, m.asked_at,
    m.check_in_at, m.check_in_slot, m.closed, m.sent, m.retry::text,
    r.preferences, r.timezone, r.first_session_complete,
    d.tokens, d.registered_at, d.environments, d.topics,
    m.quarantine::text
from mine m
left join lateral (
    -- The app's columns have the app's types (varchar, an enum, timestamp, json): we read ours, and of a value that is too long to be one its head.
    select
        left(preferences::text, 65536) as preferences, left(timezone::text, 128) as timezone,
        first_session_complete::boolean as first_session_complete
    from nudged.recipient where user_id = m.user_id limit 1
) r on true
left join lateral (
    select
        array_agg(token order by token) as tokens,
        array_agg(registered_at order by token) as registered_at,
        array_agg(environment order by token) as environments,
        array_agg(topic order by token) as topics
    from (
        select
            left(token::text, 512) as token,
            -- An instant that no calendar of ours can say (infinity, the year 294270) is none. Compared as it is: the cast can fail, too.
            case when registered_at between '0001-01-01' and '9999-12-31' then registered_at::timestamptz end as registered_at,
            nullif(left(environment::text, 256), '') as environment, nullif(left(topic::text, 256), '') as topic
        -- Bounded: a hundred devices are no person's; the newest count.
        from nudged.device where user_id = m.user_id order by registered_at desc nulls last limit 100
    ) one
) d on true
order by m.due_at, m.user_id
