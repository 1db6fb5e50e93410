-- Which of these reminders exist. If one doesn't, its row is left from a cancellation that came while the push was on
-- its way. A statement of its own, since the definition is the author's row and may be on another machine. $1 authors,
-- $2 ids.
select id from nudged.reminder where user_id = any ($1) and id = any ($2)
