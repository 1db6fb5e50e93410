-- Users of one range who are due up to an instant, with the columns of claim_people.sql in the same order, by the
-- claim's index.
-- $1 range, $2 and $3 where the last page ended (due_at, user_id), $4 due up to, $5 most users.
select
    user_id, version, due_at, touched_at, since, fingerprint, evaluated_at, check_in_at, check_in_slot, closed, sent, retry::text, quarantine::text, template
from nudged.person
where uuid_hash(user_id) >> 26 = $1
  and due_at <= $4
  and (due_at, user_id) > ($2, $3)
order by uuid_hash(user_id) >> 26, due_at, user_id
limit $5
