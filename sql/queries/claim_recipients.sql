-- What the policy asks about claimed users' profiles; read once their rows are ours, in the same transaction. $1 users.
-- The app's columns have the app's types (varchar, an enum, timestamp, json): we read ours, and of a value that is too long to be one its head.
select
    user_id, left(preferences::text, 65536), left(timezone::text, 128), first_session_complete::boolean
from nudged.recipient
where user_id = any ($1)
