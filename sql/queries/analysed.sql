-- When the decision service was asked about a user. $1 user. No row: the user was erased.
select coalesce(analysed, '{}') from nudged.person where user_id = $1
