-- Puts devices into quarantine once a window of Apple's answers has closed, and makes their users due. So these users
-- are evaluated with the devices that are left. $1 the policy's now. Parallel: $2 user, $3 device hash, $4 environment,
-- $5 topic, $6 the refused registration, $7 when it was decided, $8 reason. Rows: users found, with those of their
-- devices that work in the other environment and stay as they are. The version rises, so that no earlier decision sends
-- to a refused device.
with told as materialized (
    select user_id, jsonb_agg(jsonb_build_object(
        'device', device, 'environment', environment, 'topic', topic, 'registered_at', registered_at, 'at', at, 'reason', reason)) as entries
    from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[])
        as d (user_id, device, environment, topic, registered_at, at, reason)
    -- In the order of user_id, like all writers that wait for locks: two daemons can't deadlock.
    group by user_id
    order by user_id
)
update nudged.person p set
    version = (p.version | 4294967295) + 1,
    due_at = least(p.due_at, $1),
    quarantine = nudged.merged_quarantine(p.quarantine, t.entries)
from told t
where p.user_id = t.user_id
returning p.user_id, jsonb_path_query_array(p.quarantine, '$[*] ? (@.state == "moved")')::text
