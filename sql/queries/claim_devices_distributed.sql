-- As claim_devices_bounded.sql, for distributed tables, which refuse a LIMIT for each user. All devices of these users
-- are read, on their machines. $1 users, $2 has no effect.
select user_id, token, registered_at, environment, topic
from (
    select
        user_id,
        case when pg_column_size(token) <= 2052 and pg_column_compression(token) is null then left(token::text, 512)
            when token is not null then 'too long' end as token,
        -- Infinity or the year 294270 counts as no instant. It is compared before the cast, since the cast can fail.
        case when registered_at between '0001-01-01' and '9999-12-31' then registered_at::timestamptz end as registered_at,
        case when pg_column_size(environment) <= 1028 and pg_column_compression(environment) is null then nullif(left(environment::text, 256), '')
            when environment is not null then 'too long' end as environment,
        case when pg_column_size(topic) <= 1028 and pg_column_compression(topic) is null then nullif(left(topic::text, 256), '')
            when topic is not null then 'too long' end as topic,
        row_number() over (partition by user_id order by registered_at desc nulls last) as place
    from nudged.device
    where user_id = any ($1)
) one
where place <= 100 and $2::bigint is not null
