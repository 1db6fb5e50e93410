-- Users' own rows, with the columns of claim_people.sql in the same order. $1 users.
select
    user_id, version, due_at, touched_at, since, fingerprint, evaluated_at, check_in_at, check_in_slot, closed, sent, retry::text, quarantine::text, template
from nudged.person
where user_id = any ($1)
