-- The database's clock, which is the policy's.
select clock_timestamp()
