-- Users with touches who have no row in nudged.person: restore_touches.sql makes their rows. It locks nothing. $1 from
-- this user on, $2 most users of a page. One row: how many, and the first user of the next page (null: none).
-- A user who was erased a moment ago is counted too.
with page as materialized (
    select user_id from nudged.touched where user_id >= $1 group by user_id order by user_id limit $2 + 1
),
persons as materialized (
    select user_id from nudged.person where user_id = any (array(select user_id from page))
)
select
    (
        select count(*) from (select user_id from page order by user_id limit $2) as users
        where (user_id in (select user_id from persons)) is not true
    ),
    (select user_id from page order by user_id offset $2)
