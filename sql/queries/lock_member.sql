-- Locks a member's row before end_member.sql reads what depends on it. So its renewals and commits come before or
-- after. $1 member.
select id from nudged.member where id = $1 for update
