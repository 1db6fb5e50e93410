-- Deletes the row of a daemon that has ended in good order. $1 daemon id.
delete from nudged.daemon where daemon_id = $1
