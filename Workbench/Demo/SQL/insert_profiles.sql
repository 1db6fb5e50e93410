-- Inserts profiles. Parallel: $1 user, $2 preferences as JSON, $3 first session complete, $4 zone.
insert into public.context_profiles (user_id, notification_preferences, first_session_complete, timezone)
select * from unnest($1::uuid[], $2::jsonb[], $3::boolean[], $4::text[])
