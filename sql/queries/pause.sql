-- name: pause
-- Pauses kinds. A kind that is paused already stays as it is. $1 kinds, $2 by whom and $3 the reason, each as JSON, the
-- latter may be null. Rows: the kinds that were not paused before.
insert into nudged.paused as p (kind, by_whom, reason)
select kind, nudged.readable($2) #>> '{}', nudged.readable($3) #>> '{}' from unnest($1::text[]) as kind
order by kind
on conflict (kind) do update set since = excluded.since, by_whom = excluded.by_whom, reason = excluded.reason, resumed_at = null
where p.resumed_at is not null returning kind

-- name: paused_kinds
-- The kinds that are paused now. Rows: kind.
select kind from nudged.paused where resumed_at is null

-- name: pauses
-- Kinds that are paused, or were resumed while not all users who were held are due yet.
select kind, since, held_since, by_whom, reason, resumed_at from nudged.paused order by kind

-- name: paused_users
-- How many users wait for the paused kinds $2, each counted up to $1. One row: users whose check-ins the pause holds,
-- users with waiting messages, users with due reminders. 0: the kind is not in $2.
select
    (select count(*) from (select 1 from nudged.person where reason = 'paused' and 'check_in' = any ($2::text[]) limit $1) as held),
    (select count(*) from (select distinct user_id from nudged.message where 'message' = any ($2::text[]) limit $1) as waiting),
    (
        select count(*) from (
            select distinct user_id from nudged.occurrence
            where wakes_at <= statement_timestamp() and not is_fan_out and 'reminder' = any ($2::text[]) limit $1
        ) as waiting
    )

-- name: resume
-- Lets kinds be sent again. Users who were held meanwhile are made due page by page (`wake_users`). $1 kinds. Rows:
-- those that were paused or are still being resumed.
update nudged.paused set resumed_at = coalesce(resumed_at, clock_timestamp())
where kind = any ($1) returning kind, since, held_since, by_whom, reason, resumed_at

-- name: wake_users
-- Makes a page of users due: everyone (nudged replan), or those who were evaluated while a kind was paused (nudged
-- resume). $1 the policy's now, $2 from this user on, $3 most users, $4 and $5 null, or evaluated from and up to these
-- instants. One row: users who are due now and were not before, users of the page, and the first user of the next page
-- (null: none). The version rises, so that no decision under way undoes it: its settlement leaves due_at alone. Users
-- who are due already may be in a daemon's hands. They get a touch, so that they are evaluated again, without these intents.
with page as materialized (select user_id, due_at from nudged.person where user_id >= $2 order by user_id limit $3 + 1),
-- An index scan by a list goes in the order of user_id, like all writers that wait for locks: no deadlock.
woken as (
    update nudged.person p set version = (p.version | 4294967295) + 1, due_at = least(p.due_at, $1)
    where p.user_id = any (array(select user_id from page order by user_id limit $3))
      and (p.due_at <= $1 or $4::timestamptz is null or p.evaluated_at between $4 and $5)
    returning p.user_id
),
fenced as (
    insert into nudged.touched (user_id)
    -- A claim reads users who are due up to the end of the second.
    select user_id from page where due_at <= $1 + interval '1 second' and (user_id in (select user_id from woken)) is true
)
select
    (select count(*) from woken where (user_id in (select user_id from page where due_at > $1)) is true),
    (select least(count(*), $3) from page),
    (select user_id from page order by user_id offset $3)

-- name: resumed
-- Ends a resume, once all users who were held are due: deletes the pause, unless it was paused again. $1 kinds.
delete from nudged.paused where kind = any ($1) and resumed_at is not null

-- name: count_users
-- Counts the users of a page, so that all are counted in bounded steps. $1 from this user on, $2 most users.
-- One row: users, and the first user of the next page (null: none).
with page as materialized (select user_id from nudged.person where user_id >= $1 order by user_id limit $2 + 1)
select least(count(*), $2), (select user_id from page order by user_id offset $2) from page
