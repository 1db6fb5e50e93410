-- Notes what Apple's answers say about devices' environments, in the transaction that settles these answers. The users'
-- rows are locked by it. Parallel: $1 user (in order), $2 device hash, $3 environment, $4 topic, $5 the registration, $6
-- when, $7 reason, $8 state (EnvironmentNote.State). One row: users found.
with told as materialized (
    select user_id, jsonb_agg(jsonb_build_object(
        'device', device, 'environment', environment, 'topic', topic, 'registered_at', registered_at, 'at', at, 'reason', reason, 'state', state)) as entries
    from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[])
        as d (user_id, device, environment, topic, registered_at, at, reason, state)
    group by user_id
    order by user_id
),
noted as (
    update nudged.person p set quarantine = nudged.merged_quarantine(p.quarantine, t.entries)
    from told t
    where p.user_id = t.user_id
    returning 1
)
select count(*) from noted
