-- Inserts tokens. Parallel: $1 user, $2 token, $3 platform, $4 registered at.
insert into public.push_tokens (user_id, device_token, platform, created_at, updated_at)
select user_id, token, platform, at, at
from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[]) as t (user_id, token, platform, at)
