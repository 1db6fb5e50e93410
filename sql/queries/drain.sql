-- Makes users due whose data changed, and raises their version, so that no decision made on the old data is carried out.
-- $1 most touches to take, $2 the policy's now. One row: touches taken. Two daemons at once: the second waits for the first's commit, and finds the
-- same touches gone.
with waiting as materialized (
    select user_id, id from nudged.touched order by user_id, id limit $1
),
taken as (
    delete from nudged.touched t using waiting w where t.user_id = w.user_id and t.id = w.id
    returning t.user_id, t.at
),
latest as (
    select user_id, max(at) as at from taken group by user_id
),
-- In the order of user_id, like every other writer: two daemons can't deadlock.
woken as (
    insert into nudged.person as p (user_id, due_at, touched_at)
    select user_id, $2, at from latest l
    -- Somebody of whom the app has nothing (erased by nudged.forget, and a last change on its way) gets no row anew.
    where exists (select 1 from nudged.person k where k.user_id = l.user_id)
       or exists (select 1 from nudged.recipient r where r.user_id = l.user_id)
       or exists (select 1 from nudged.device d where d.user_id = l.user_id)
    order by user_id
    on conflict (user_id) do update set
        version = p.version + 1,
        due_at = least(p.due_at, excluded.due_at),
        touched_at = greatest(p.touched_at, excluded.touched_at)
    returning 1
)
select count(*) from taken
