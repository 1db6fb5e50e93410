-- Claimed users' devices, the hundred newest of each: asked where claim_devices.sql found more than people have. $1 users.
select user_id, token, registered_at, environment, topic
from (
    select
        user_id, left(token::text, 512) as token,
        -- An instant that no calendar of ours can say (infinity, the year 294270) is none. Compared as it is: the cast can fail, too.
        case when registered_at between '0001-01-01' and '9999-12-31' then registered_at::timestamptz end as registered_at,
        nullif(left(environment::text, 256), '') as environment, nullif(left(topic::text, 256), '') as topic,
        row_number() over (partition by user_id order by registered_at desc nulls last) as place
    from nudged.device
    where user_id = any ($1)
) one
-- Bounded: a hundred devices are no person's; the newest count.
where place <= 100
order by user_id, token
