-- After a restore from backup: records as unknown what was being sent when the backup was made. $1 most chunks. One row: chunks, pushes.
-- An intent whose lease lives is a running daemon's, which records it itself (or, of a backup that young, recover.sql does).
with dead as materialized (
    select lease_id, number from nudged.intent
    where expires_at < statement_timestamp()
    order by lease_id, number
    limit $1
    for update
),
gone as (
    delete from nudged.intent i using dead d where i.lease_id = d.lease_id and i.number = d.number
    returning i.*
),
recorded as (
    insert into nudged.delivery (user_id, kind, key, slot, device_hash, apns_id, outcome, reason, attempted_at, sweep_id)
    select d.user_id, d.kind, d.key, d.slot, d.device_hash, d.apns_id, 'unknown', 'restored', g.attempted_at, g.sweep_id
    from gone g
    cross join lateral unnest(g.user_ids, g.kinds, g.keys, g.slots, g.device_hashes, g.apns_ids)
        as d (user_id, kind, key, slot, device_hash, apns_id)
    -- See recover.sql.
    cross join lateral (select from nudged.person p where p.user_id = d.user_id for key share) as here
    on conflict do nothing
    returning 1
)
select (select count(*) from gone), (select count(*) from recorded)
