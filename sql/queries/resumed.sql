-- Ends a resume, once all users who were held are due: deletes the pause, unless it was paused again meanwhile. $1
-- kinds.
delete from nudged.paused where kind = any ($1) and resumed_at is not null
