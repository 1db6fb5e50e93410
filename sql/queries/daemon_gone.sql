-- Deletes the row of a daemon that stops normally. $1 daemon id.
delete from nudged.daemon where daemon_id = $1
