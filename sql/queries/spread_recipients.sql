-- Which of these members are there, held until the page's commit: nobody who is being erased is told, and an erasure that comes now finds what they are told.
-- $1 members.
select user_id from nudged.hold_recipients($1) as r (user_id)
