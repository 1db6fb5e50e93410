-- Counts a question to the decision service, before it is asked. $1 user, $2 all instants that count. A row: it may be asked.
update nudged.person set analysed = $2 where user_id = $1 returning user_id
