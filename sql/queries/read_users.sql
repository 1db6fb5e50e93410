-- Users as claim_taken.sql leases them, read without leasing: the same columns in the same order, and the lease. $1 users.
select
    user_id, version, due_at, touched_at, since, fingerprint, asked_at, check_in_at, check_in_slot, closed, sent, retry::text, quarantine::text, template,
    lease_id, lease_until
from nudged.person
where user_id = any ($1)
