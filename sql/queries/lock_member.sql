-- Locks a member's row before end_member.sql looks at what depends on it: its renewals and its commits come before or after. $1 member.
select id from nudged.member where id = $1 for update
