-- Before the decision service is asked of a user: counts it. $1 user, $2 lease id, $3 all instants that count. A row: they are ours, and it may be asked.
update nudged.person set analysed = $3
where user_id = $1 and lease_id = $2 and lease_until > statement_timestamp()
returning user_id
