-- As claim_devices_bounded.sql, for distributed tables, which refuse a LIMIT for each user: all devices of these users are looked at, on their machines.
-- $1 users, $2 is not asked for.
select user_id, token, registered_at, environment, topic
from (
    select
        user_id, left(token::text, 512) as token,
        -- As in claim_devices.sql.
        case when registered_at between '0001-01-01' and '9999-12-31' then registered_at::timestamptz end as registered_at,
        nullif(left(environment::text, 256), '') as environment, nullif(left(topic::text, 256), '') as topic,
        row_number() over (partition by user_id order by registered_at desc nulls last) as place
    from nudged.device
    where user_id = any ($1)
) one
where place <= 100 and $2::bigint is not null
