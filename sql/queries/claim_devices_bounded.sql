-- The newest hundred devices of each claimed user, of at most $2 rows of each. Run if some user has unusually many
-- devices.
-- $1 users. Columns as in claim_devices.sql.
select d.user_id, d.token, d.registered_at, d.environment, d.topic
from unnest($1::uuid[]) as u (user_id)
cross join lateral (
    select
        f.user_id,
        case when pg_column_size(f.token) <= 2052 and pg_column_compression(f.token) is null then left(f.token::text, 512)
            when f.token is not null then 'too long' end as token,
        -- Infinity or the year 294270 counts as no instant. It is compared before the cast, since the cast can fail.
        case when f.registered_at between '0001-01-01' and '9999-12-31' then f.registered_at::timestamptz end as registered_at,
        case when pg_column_size(f.environment) <= 1028 and pg_column_compression(f.environment) is null then nullif(left(f.environment::text, 256), '')
            when f.environment is not null then 'too long' end as environment,
        case when pg_column_size(f.topic) <= 1028 and pg_column_compression(f.topic) is null then nullif(left(f.topic::text, 256), '')
            when f.topic is not null then 'too long' end as topic,
        row_number() over (partition by f.user_id order by f.registered_at desc nulls last) as place
    from (select * from nudged.device o where o.user_id = u.user_id limit $2) f
) d
where d.place <= 100
