-- A nudge in flight costs its user's row one update less: what the history is to hold if the daemon dies stands in the intent, and whoever records
-- the intent as unknown (recover.sql) enters it. Nobody decides such a user before that: a claim passes over users of open intents.

-- Parallel to user_ids. What is left of the nudge beside these devices (nudged.person.retry; the same for each device of a user), and whether the
-- history holds the nudge already. Null in intents of an older daemon, which had entered them.
alter table nudged.intent add column retries text[], add column counted boolean[];

-- Room for two new versions of a row (claim, settlement) beside the old one: a burst meets whole pages of neighbours who are due together, and at 70 half
-- of its updates went to other pages, each with new entries in both indexes (docs/PERFORMANCE.md, "The hot table").
alter table nudged.person set (fillfactor = 45);
-- For the pages that are there, too: an expression makes PostgreSQL write the table anew (a minute for ten million users, with the table locked).
alter table nudged.person alter column version type bigint using version + 0;
