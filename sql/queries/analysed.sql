-- When the decision service was asked of a user. $1 user, $2 lease id. No row: they are not ours any more.
select coalesce(analysed, '{}') from nudged.person where user_id = $1 and lease_id = $2 and lease_until > statement_timestamp()
