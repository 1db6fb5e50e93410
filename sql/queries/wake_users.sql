-- Makes a page of users due: everyone (nudged replan), or those who were evaluated while a kind was paused (nudged
-- resume).
-- $1 the policy's now, $2 from this user on, $3 most users, $4 and $5 null, or evaluated from and up to these instants.
-- One row: users who are due now and were not before, users of the page, and the first user of the next page (null:
-- none).
-- The version rises, so that no decision under way undoes it: its settlement leaves due_at alone, its intent is
-- refused, and the user is evaluated again. Users who are due already may be in a daemon's hands, so their version
-- rises, too.
with page as materialized (
    select user_id, due_at from nudged.person where user_id >= $2 order by user_id limit $3 + 1
),
-- An index scan by a list goes in the order of user_id, like all writers that wait for locks: no deadlock with a
-- daemon.
woken as (
    update nudged.person p set version = (p.version | 4294967295) + 1, due_at = least(p.due_at, $1)
    where p.user_id = any (array(select user_id from page order by user_id limit $3))
      and (p.due_at <= $1 or $4::timestamptz is null or p.evaluated_at between $4 and $5)
    returning p.user_id
)
select
    (select count(*) from woken where (user_id in (select user_id from page where due_at > $1)) is true),
    (select least(count(*), $3) from page),
    (select user_id from page order by user_id offset $3)
