-- Reads one column of a user's devices as claim_devices.sql does, to find the one that is refused. $1 user, $2 column.
select case $2::text
    when 'token' then octet_length(left(token::text, 512))
    when 'registered_at' then extract(epoch from case when registered_at between '0001-01-01' and '9999-12-31' then registered_at::timestamptz end)::bigint
    when 'environment' then octet_length(left(environment::text, 256))
    when 'topic' then octet_length(left(topic::text, 256))
end
from nudged.device
where user_id = $1
limit 1000
