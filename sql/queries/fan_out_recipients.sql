-- Which of these members exist, locked until the page's commit. No user who is being erased is told, and a later
-- erasure finds the new rows. $1 members.
select user_id from nudged.hold_recipients($1) as r (user_id)
