-- Changes that no sweep has seen yet: what drain.sql will do for these users. $1 users. Rows: user_id, the newest change (null: something came to be sent,
-- and that is all).
select user_id, max(at) filter (where not arrival) from nudged.touched where user_id = any ($1) group by user_id
