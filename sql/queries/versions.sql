-- The versions and leases that users have now; asked after touched_since.sql, whose touches another daemon can have drained in between. $1 users.
select user_id, version, lease_id from nudged.person where user_id = any ($1)
