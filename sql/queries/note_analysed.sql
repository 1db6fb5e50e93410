-- Records a question to the decision service, before it is asked. $1 user, $2 all instants that count. One row: it may
-- be asked. None: the user was erased.
update nudged.person set analysed = $2 where user_id = $1 returning user_id
