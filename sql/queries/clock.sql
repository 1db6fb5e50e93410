-- The policy's clock.
select clock_timestamp()
