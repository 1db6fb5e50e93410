-- Records as unknown what a dead daemon was about to write when it died: every open intent whose lease has ended, and nothing else.
-- The histories hold those nudges already, since their intents were committed. $1 leases of ours that live, $2 most chunks. One row: chunks, pushes.
with dead as materialized (
    select lease_id, number from nudged.intent
    where expires_at < statement_timestamp() and lease_id <> all ($1)
    order by lease_id, number
    limit $2
    for update skip locked
),
gone as (
    delete from nudged.intent i using dead d where i.lease_id = d.lease_id and i.number = d.number
    returning i.*
),
recorded as (
    insert into nudged.delivery (user_id, kind, key, slot, device_hash, apns_id, outcome, reason, attempted_at, sweep_id)
    select d.user_id, d.kind, d.key, d.slot, d.device_hash, d.apns_id, 'unknown', 'daemon_lost', g.attempted_at, g.sweep_id
    from gone g
    cross join lateral unnest(g.user_ids, g.kinds, g.keys, g.slots, g.device_hashes, g.apns_ids)
        as d (user_id, kind, key, slot, device_hash, apns_id)
    -- An erasure under way (nudged.forget) is waited for: nothing is recorded of whoever is gone.
    cross join lateral (select from nudged.person p where p.user_id = d.user_id for key share) as here
    on conflict do nothing
    returning 1
)
select (select count(*) from gone), (select count(*) from recorded)
