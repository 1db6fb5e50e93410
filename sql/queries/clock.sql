-- The database's clock, which the policy uses.
select clock_timestamp()
