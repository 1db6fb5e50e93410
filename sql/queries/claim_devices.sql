-- Devices of claimed users. $1 users, $2 most rows: as many as that say that somebody has more devices than people have, and claim_devices_bounded.sql is asked.
select
    user_id,
    case when octet_length(token::text) <= 512 then token::text else left(token::text, 512) end,
    -- An instant that no calendar of ours can say (infinity, the year 294270) is none. Compared as it is: the cast can fail, too.
    case when registered_at between '0001-01-01' and '9999-12-31' then registered_at::timestamptz end,
    nullif(left(environment::text, 256), ''), nullif(left(topic::text, 256), '')
from nudged.device
where user_id = any ($1)
limit $2
