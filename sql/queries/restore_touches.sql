-- After a restore from a backup: takes the touches that the backup holds, as drain.sql does. Nothing older than now is
-- sent to their users.
-- Its deletion waits for a drain under way. So every user of an older touch has a row when restore_users.sql begins.
-- $1 the policy's now, $2 most touches. One row: touches taken, and whether there were any when it began.
with waiting as materialized (
    select user_id, id from nudged.touched where at < $1 order by user_id, id limit $2
),
taken as (
    delete from nudged.touched t using waiting w where t.user_id = w.user_id and t.id = w.id
    returning t.user_id
),
users as materialized (
    select distinct user_id from taken
),
-- As in drain.sql: a user about whom the app has nothing (erased) gets no row.
persons as materialized (
    select user_id from nudged.person where user_id = any (array(select user_id from users))
),
strangers as materialized (
    select user_id from users where (user_id in (select user_id from persons)) is not true
),
known as materialized (
    select user_id from persons
    union all select user_id from nudged.recipient where user_id = any (array(select user_id from strangers))
    union all select user_id from nudged.device where user_id = any (array(select user_id from strangers))
    union all select user_id from nudged.message where user_id = any (array(select user_id from strangers))
    union all select user_id from nudged.occurrence where user_id = any (array(select user_id from strangers))
),
woken as (
    insert into nudged.person as p (user_id, due_at, touched_at, since)
    select user_id, $1, $1, $1 from users where (user_id in (select user_id from known)) is true
    order by user_id
    on conflict (user_id) do update set
        version = (p.version | 4294967295) + 1,
        due_at = least(p.due_at, excluded.due_at),
        touched_at = greatest(p.touched_at, excluded.touched_at),
        since = greatest(p.since, excluded.since)
    returning 1
)
select (select count(*) from taken), exists (select 1 from nudged.touched where at < $1)
