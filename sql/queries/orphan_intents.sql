-- Turns intents of a member into orphans, which are recorded as unknown. $1 member, $2 intents.
update nudged.intent set member = null where id = any ($2) and member = $1
