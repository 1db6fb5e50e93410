-- Users who are in the app's views and not in nudged.person: their rows were there before a trigger was, or a view
-- shows them since. For nudged replan, which touches them, and nudged doctor.
-- $1 from this user on, $2 most users looked at. One row: those that nudged has not seen, and the first user of the
-- next page (null: none).
with page as materialized (
    select user_id from (
        (select user_id from nudged.recipient where user_id >= $1 order by user_id limit $2 + 1)
        union
        (select distinct user_id from nudged.device where user_id >= $1 order by user_id limit $2 + 1)
    ) u
    order by user_id limit $2 + 1
),
users as materialized (select user_id from page order by user_id limit $2)
select
    -- "is true" keeps the planner from making it a join, so it is a hashed subplan.
    coalesce((
        select array_agg(user_id) from users
        where (user_id in (select user_id from nudged.person where user_id = any (array(select user_id from users)))) is not true
    ), '{}'),
    (select user_id from page order by user_id offset $2)
