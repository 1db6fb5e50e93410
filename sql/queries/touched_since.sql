-- Whose data has changed up to now. Run after the intent's commit and before the first byte. $1 users. Rows: users,
-- once per touch.
select user_id from nudged.touched where user_id = any ($1) and not arrival
