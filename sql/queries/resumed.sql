-- Everyone who was held is due: nothing is left of the pause, unless it was paused anew meanwhile. $1 kinds.
delete from nudged.paused where kind = any ($1) and resumed_at is not null
