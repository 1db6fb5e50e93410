-- Takes the touches of some users: makes these users due, and raises their version, so that no decision on the old data is carried out.
-- Where something came to be sent, and nothing else, only the version's lower half rises: what is on its way goes, and its settlement leaves due_at alone.
-- $1 users, $2 most touches (a user of whom more wait is due all the same; the rest is left for the next time), $3 the policy's now. One row: touches taken.
-- Users of urgent messages are due since 1970: before all who are merely due (claims ask for them first).
with waiting as materialized (
    select user_id, id from nudged.touched where user_id = any ($1) order by user_id, id limit $2
),
taken as (
    delete from nudged.touched t using waiting w where t.user_id = w.user_id and t.id = w.id
    returning t.user_id, t.at, t.urgent, t.arrival
),
latest as materialized (
    select
        user_id,
        -- Null: something came to be sent, and that is all.
        max(at) filter (where not arrival) as at,
        case when bool_or(urgent) then timestamptz '1970-01-01Z' else $3 end as due_at
    from taken
    group by user_id
),
-- A user of whom the app has nothing (erased by nudged.forget, and a last change on its way) gets no row. Nearly everyone has one already: only the others are
-- looked for. List by list, and not by EXISTS for each: Citus joins no tables that only a list has in common.
persons as materialized (
    select user_id from nudged.person where user_id = any (array(select user_id from latest))
),
strangers as materialized (
    -- "is true" keeps the planner from making a join of it: so it is a hashed subplan.
    select user_id from latest where (user_id in (select user_id from persons)) is not true
),
known as materialized (
    select user_id from persons
    union all select user_id from nudged.recipient where user_id = any (array(select user_id from strangers))
    union all select user_id from nudged.device where user_id = any (array(select user_id from strangers))
    union all select user_id from nudged.message where user_id = any (array(select user_id from strangers))
    union all select user_id from nudged.occurrence where user_id = any (array(select user_id from strangers))
),
-- In the order of user_id, like every other writer that waits: no deadlock with an operator's commands.
woken as (
    insert into nudged.person as p (user_id, due_at, touched_at)
    select user_id, due_at, at from latest where (user_id in (select user_id from known)) is true
    order by user_id
    on conflict (user_id) do update set
        version = case when excluded.touched_at is null then p.version + 1 else (p.version | 4294967295) + 1 end,
        due_at = least(p.due_at, excluded.due_at),
        touched_at = greatest(p.touched_at, excluded.touched_at)
    returning 1
)
select count(*) from taken
