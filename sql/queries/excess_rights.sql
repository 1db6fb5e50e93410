-- Rights on nudged's objects that nobody gave by nudged.allow. $1 the most rows. Rows: role (public: every role),
-- object, the role's privileges on it, the statement that takes them back.
select role, object, privileges, statement from nudged.excess_right order by role, object limit $1
