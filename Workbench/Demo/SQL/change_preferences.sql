-- Changes users' preferences with a plain update, as an app does. Parallel: $1 user, $2 preferences as JSON.
update public.context_profiles p set notification_preferences = c.preferences
from unnest($1::uuid[], $2::jsonb[]) as c (user_id, preferences)
where p.user_id = c.user_id
