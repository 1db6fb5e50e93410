-- Sets the time of changes. The trigger wrote the server's clock, but the demo's day has a clock of its own. $1 the
-- day's now.
update nudged.touched set at = $1
