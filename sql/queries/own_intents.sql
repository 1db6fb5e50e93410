-- Open intents of a member, to find those that its daemon doesn't know of: a promoted standby may lack their
-- settlement. $1 member. Rows: intent.
select id from nudged.intent where member = $1 and withdrawn_until is null
