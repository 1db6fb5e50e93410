-- The current versions of users. Run after touched_since.sql, whose touches may have been drained in between. $1 users.
select user_id, version from nudged.person where user_id = any ($1)
