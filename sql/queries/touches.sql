-- name: touches
-- The oldest touches of these ranges, urgent ones first. $1 ranges, $2 from this id on, $3 most, $4 users to skip.
with hurried as materialized (
    select id, user_id, arrival from nudged.touched
    where urgent and id >= $2 and uuid_hash(user_id) >> 26 = any ($1::integer[]) and user_id <> all ($4) order by id limit $3
),
others as materialized (
    select id, user_id, arrival from nudged.touched
    where not urgent and id >= $2 and uuid_hash(user_id) >> 26 = any ($1::integer[]) and user_id <> all ($4) order by id limit $3
)
select id, user_id, true as urgent, arrival from hurried union all select id, user_id, false, arrival from others order by urgent desc, id limit $3

-- name: drain
-- Takes touches, makes their users due, and raises these users' versions, so that a settlement of a decision on the old
-- data leaves due_at alone. It takes only touches that the daemon has read, and for which it has marked the users in
-- its hands. So it may take effect late, after its answer was given up: a change that came meanwhile still has its
-- touch. If something new is to be sent and nothing else changed, only the version's lower half rises. Then pushes on
-- their way are sent, and their settlement leaves due_at alone. $1 and $2 the touches (parallel: user, id), $3 the
-- policy's now. Users of urgent messages are due since 1970, so that claims find them before all others. A test
-- (nudged_me.send_test) ends if the user's devices are no longer those that it was sent to.
with taken as (
    delete from nudged.touched t using unnest($1::uuid[], $2::bigint[]) as w (user_id, id)
    where t.user_id = w.user_id and t.id = w.id returning t.user_id, t.at, t.urgent, t.arrival
),
latest as materialized (
    select
        user_id,
        -- Null: something new is to be sent, and nothing else changed.
        max(at) filter (where not arrival) as at,
        case when bool_or(urgent) then timestamptz '1970-01-01Z' else $3 end as due_at
    from taken group by user_id
),
-- A user about whom the app has nothing gets no row: erased by nudged_api.forget, with a last change under way. Nearly
-- all users have a row already, so only the others are looked up. Lists are compared, without EXISTS for each user:
-- Citus joins no tables that have only a list in common.
persons as materialized (select user_id from nudged.person where user_id = any (array(select user_id from latest))),
strangers as materialized (
    -- "is true" keeps the planner from making it a join, so it is a hashed subplan.
    select user_id from latest where (user_id in (select user_id from persons)) is not true
),
known as materialized (
    select user_id from persons
    union all select user_id from nudged.recipient where user_id = any (array(select user_id from strangers))
    union all select user_id from nudged.device where user_id = any (array(select user_id from strangers))
    union all select user_id from nudged.message where user_id = any (array(select user_id from strangers))
    union all select user_id from nudged.occurrence where user_id = any (array(select user_id from strangers))
),
-- In the order of user_id, like all writers that wait for locks, to avoid deadlocks with an operator's commands.
woken as (
    insert into nudged.person as p (user_id, due_at, touched_at)
    select user_id, due_at, at from latest where (user_id in (select user_id from known)) is true
    order by user_id
    on conflict (user_id) do update set
        version = case when excluded.touched_at is null then p.version + 1 else (p.version | 4294967295) + 1 end,
        due_at = least(p.due_at, excluded.due_at), touched_at = greatest(p.touched_at, excluded.touched_at)
    returning 1
),
-- Few: all tests that wait, by the index of dedupe_key.
tests as materialized (
    select user_id, id, dedupe_key from nudged.message
    where dedupe_key collate "C" >= 'nudged.send_test ' and dedupe_key collate "C" < 'nudged.send_test!'
      and (user_id in (select user_id from latest where at is not null)) is true
),
-- As nudged_me.send_test writes it.
devices as materialized (
    select user_id, 'nudged.send_test ' || md5(string_agg(s, ',' order by s)) as state from (
        select user_id, concat_ws(' ', left(token::text, 512), left(environment::text, 256), left(topic::text, 256)) collate "C" as s
        from nudged.device where user_id = any (array(select user_id from tests))
    ) as d group by user_id
),
ended as (
    delete from nudged.message m using tests t
    where m.user_id = t.user_id and m.id = t.id and ((t.user_id, t.dedupe_key) in (select user_id, state from devices)) is not true
    returning m.user_id, m.id
),
recorded as (
    insert into nudged.delivery (user_id, kind, key, device_hash, outcome, reason, attempted_at, sweep_id)
    select user_id, 'message', id::text, '', 'dropped', 'device_changed', statement_timestamp(), '00000000-0000-0000-0000-000000000000' from ended
)
select count(*) from taken

-- name: touch_users
-- Appends a touch for each of these users, so that a daemon adds them. $1 users. No rows.
insert into nudged.touched (user_id) select u from unnest($1::uuid[]) as u order by u

-- name: unseen_users
-- Users who are in the app's views and not in nudged.person: their rows were there before a trigger was, or a view
-- shows them since. For nudged replan, which touches them, and nudged doctor. $1 from this user on, $2 most users
-- looked at. One row: those that nudged has not seen, and the first user of the next page (null: none).
with page as materialized (
    select user_id from (
        (select user_id from nudged.recipient where user_id >= $1 order by user_id limit $2 + 1)
        union (select distinct user_id from nudged.device where user_id >= $1 order by user_id limit $2 + 1)
    ) u order by user_id limit $2 + 1
),
users as materialized (select user_id from page order by user_id limit $2)
select
    coalesce((
        select array_agg(user_id) from users
        where (user_id in (select user_id from nudged.person where user_id = any (array(select user_id from users)))) is not true
    ), '{}'),
    (select user_id from page order by user_id offset $2)
