-- Devices whose tokens Apple refuses for an environment and topic (BadDeviceToken, DeviceTokenNotForTopic): nothing is sent to them there until
-- they register anew. Nothing is deleted.

-- One element per device, environment and topic: device (its hash), environment, topic, registered_at (microseconds since 1970, or null: the
-- registration that was refused; another one lifts it), at, reason. In the user's row, since the policy counts deliverable devices.
alter table nudged.person add column quarantine jsonb;

-- A device that registers anew may be deliverable again, so its user is asked. Only appends, like the other triggers.
create function nudged.touch_registration() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    if exists (select from nudged.person where user_id = new.user_id and quarantine is not null) then
        insert into nudged.touched (user_id) values (new.user_id);
    end if;
    return null;
end
$$;
revoke all on function nudged.touch_registration() from public;

create trigger nudged_device_registered after update on public.push_tokens
for each row when (
    old.updated_at is distinct from new.updated_at or old.created_at is distinct from new.created_at
) execute function nudged.touch_registration();

-- What is in quarantine now, for operators. Read as text: what a hand has spoilt in one row breaks no other's.
create view nudged.quarantined as
select
    p.user_id, q ->> 'device' as device_hash, q ->> 'environment' as environment, q ->> 'topic' as topic, q ->> 'reason' as reason,
    q ->> 'at' as at
from nudged.person p
cross join lateral jsonb_array_elements(case when jsonb_typeof(p.quarantine) = 'array' then p.quarantine else '[]' end) as q
where exists (
    select from nudged.device d
    where d.user_id = p.user_id
      and left(encode(sha256(convert_to(lower(d.token::text), 'UTF8')), 'hex'), 16) = q ->> 'device'
      and coalesce(nullif(d.environment::text, ''), q ->> 'environment') = q ->> 'environment'
      and coalesce(nullif(d.topic::text, ''), q ->> 'topic') = q ->> 'topic'
      and (case when d.registered_at between '0001-01-01' and '9999-12-31'
          then (extract(epoch from d.registered_at::timestamptz) * 1000000)::bigint end)::text is not distinct from q ->> 'registered_at'
);
