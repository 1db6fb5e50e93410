-- The second of a claim's two steps: leases those candidates who are still due and free. Whoever was quicker holds the row for the moment of a commit;
-- then the conditions, asked again on what was committed, refuse it. An index scan by a list goes in the order of user_id, like every other writer
-- that waits: two daemons can't deadlock.
-- $1 candidates, $2 the policy's now, $3 lease id, $4 lease in milliseconds, $5 leases of ours that live. Rows: the users that are ours.
update nudged.person p
set lease_id = $3, lease_until = statement_timestamp() + $4 * interval '1 millisecond'
where user_id = any ($1)
  and due_at <= $2
  and (lease_until is null or lease_until < statement_timestamp())
  and (
      lease_id is null
      or lease_id <> all ($5)
      and user_id <> all (array(select unnest(user_ids) from nudged.intent))
  )
returning
    user_id, version, due_at, touched_at, since, fingerprint, asked_at, check_in_at, check_in_slot, closed, sent, retry::text, quarantine::text, template
