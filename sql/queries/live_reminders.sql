-- Which of these reminders live. A row of one that does not is left from a cancellation that came while it was on its way. Asked by itself, since the
-- definition is the author's row and may lie on another machine. $1 authors, $2 ids.
select id from nudged.reminder where user_id = any ($1) and id = any ($2)
