-- As claim_taken.sql, but passes over rows that somebody holds: asked where that had to wait too long, so that one transaction that holds many users'
-- rows holds up nobody else. Not for distributed tables. Parameters and rows as there.
update nudged.person p
set lease_id = $3, lease_until = statement_timestamp() + $4 * interval '1 millisecond'
where user_id = any (array(
        select user_id from nudged.person where user_id = any ($1) order by user_id for update skip locked
    ))
  and due_at <= $2
  and (lease_until is null or lease_until < statement_timestamp())
  and (
      lease_id is null
      or lease_id <> all ($5)
      and user_id <> all (array(select unnest(user_ids) from nudged.intent))
  )
returning
    user_id, version, due_at, touched_at, since, fingerprint, asked_at, check_in_at, check_in_slot, closed, sent, retry::text, quarantine::text, template
