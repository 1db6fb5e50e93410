-- Which of these users' rows are not locked. Run after a statement has waited too long for one of them. $1 users. Rows:
-- user_id.
select user_id from nudged.person where user_id = any ($1) for update skip locked
