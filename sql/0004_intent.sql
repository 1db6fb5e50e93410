-- What is about to be written to Apple: durable before the first byte. One row per chunk of pushes, parallel arrays, one element per device.
-- A row that outlives its lease is the trace of a crash: its pushes are recorded as unknown.
create table nudged.intent (
    lease_id uuid not null,
    number integer not null,
    expires_at timestamptz not null,
    sweep_id uuid not null,
    attempted_at timestamptz not null,
    user_ids uuid[] not null,
    kinds text[] not null,
    keys text[] not null,
    slots date[] not null,
    device_hashes text[] not null,
    apns_ids uuid[] not null,
    primary key (lease_id, number)
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 500);
alter table nudged.intent enable row level security;
