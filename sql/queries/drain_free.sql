-- As drain.sql, but passes over touches and users' rows that somebody holds: asked where drain.sql had to wait for one too long. Not for distributed tables.
-- $1 most touches to take, $2 the policy's now. One row: touches taken.
with hurried as materialized (
    select user_id, id from nudged.touched where urgent order by user_id, id limit $1 for update skip locked
),
others as materialized (
    select user_id, id from nudged.touched where not urgent order by user_id, id limit $1 for update skip locked
),
waiting as materialized (
    select user_id, id, true as urgent from hurried union all select user_id, id, false from others
    order by urgent desc, user_id, id limit $1
),
free as materialized (
    select p.user_id from nudged.person p where p.user_id in (select user_id from waiting) order by p.user_id for update skip locked
),
taken as (
    delete from nudged.touched t using waiting w
    where t.user_id = w.user_id and t.id = w.id
      and ((w.user_id in (select user_id from free)) is true or not exists (select 1 from nudged.person k where k.user_id = w.user_id))
    returning t.user_id, t.at, t.urgent, t.arrival
),
latest as materialized (
    select
        user_id,
        -- Null: something came to be sent, and that is all.
        max(at) filter (where not arrival) as at,
        case when bool_or(urgent) then timestamptz '1970-01-01Z' else $2 end as due_at
    from taken
    group by user_id
),
persons as materialized (
    select user_id from nudged.person where user_id = any (array(select user_id from latest))
),
strangers as materialized (
    select user_id from latest where (user_id in (select user_id from persons)) is not true
),
known as materialized (
    select user_id from persons
    union all select user_id from nudged.recipient where user_id = any (array(select user_id from strangers))
    union all select user_id from nudged.device where user_id = any (array(select user_id from strangers))
    union all select user_id from nudged.message where user_id = any (array(select user_id from strangers))
    union all select user_id from nudged.occurrence where user_id = any (array(select user_id from strangers))
),
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
