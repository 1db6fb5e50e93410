-- Renews a member's lease. $1 member, $2 lease in milliseconds. Rows: the member.
update nudged.lease set alive_until = statement_timestamp() + $2 * interval '1 millisecond'
where member = $1
returning member
