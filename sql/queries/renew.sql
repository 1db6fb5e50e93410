-- Renews a member's lease. $1 member, $2 lease in milliseconds. Rows: the member's daemon.
update nudged.daemon set alive_until = statement_timestamp() + $2 * interval '1 millisecond'
where member = $1
returning daemon_id
