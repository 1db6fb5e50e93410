-- Touches that no sweep has drained: what drain.sql will do for these users. $1 users. Rows: user_id, the newest change
-- (null: something new is to be sent, and nothing else changed).
select user_id, max(at) filter (where not arrival) from nudged.touched where user_id = any ($1) group by user_id
