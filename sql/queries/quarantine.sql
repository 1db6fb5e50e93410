-- Puts devices into quarantine, by the verdict on a window of Apple's answers, and makes their users due, so that they are asked with the devices
-- that are left. $1 the policy's now. Parallel: $2 user, $3 device hash, $4 environment, $5 topic, $6 the refused registration, $7 the verdict's
-- instant, $8 reason. Rows: users found. The version rises: what was decided before goes to no refused device.
with told as materialized (
    select user_id, jsonb_agg(jsonb_build_object(
        'device', device, 'environment', environment, 'topic', topic, 'registered_at', registered_at, 'at', at, 'reason', reason)) as entries
    from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[])
        as d (user_id, device, environment, topic, registered_at, at, reason)
    group by user_id
),
mine as materialized (
    -- In the order of user_id, like every other writer that waits: two daemons can't deadlock.
    select p.user_id from nudged.person p where p.user_id in (select user_id from told) order by p.user_id for update
)
update nudged.person p set
    version = p.version + 1,
    due_at = least(p.due_at, $1),
    quarantine = t.entries || coalesce((
        -- The newest say all that counts of a device; bounded like the devices themselves.
        select jsonb_agg(e.entry order by e.place) from (
            select entry, place
            from jsonb_array_elements(case when jsonb_typeof(p.quarantine) = 'array' then p.quarantine end) with ordinality as o (entry, place)
            where not exists (
                select from jsonb_array_elements(t.entries) n
                where n ->> 'device' = entry ->> 'device' and n ->> 'environment' = entry ->> 'environment' and n ->> 'topic' = entry ->> 'topic'
            )
            order by place
            limit 100
        ) e
    ), '[]')
from told t, mine m
where p.user_id = t.user_id and m.user_id = t.user_id
returning p.user_id
