-- Counts the users of a page, so that all are counted in bounded steps. $1 from this user on, $2 most users.
-- One row: users, and the first user of the next page (null: none).
with page as materialized (
    select user_id from nudged.person where user_id >= $1 order by user_id limit $2 + 1
)
select least(count(*), $2), (select user_id from page order by user_id offset $2) from page
