-- The trigger stamped the change with the server's clock; the day's clock is another one. $1 the day's now.
update nudged.touched set at = $1
