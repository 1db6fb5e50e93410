-- The templates that check-ins may take now, in an order that never changes. $1 most rows: more are nobody's.
-- Rows: id, domain, locale, title, body, weight, action.
select id, domain, locale, title, body, weight, action
from nudged.template
where active
order by id
limit $1
