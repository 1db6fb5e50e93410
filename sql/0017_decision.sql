-- The decision service (docs/DECISION.md): what it said of a nudge, and how often it was asked of a user.

-- {"by", "notify", "priority", "reason"}: who decided (service, or fallback in its place), what, how much it matters, and why in at most 200 characters.
-- Never the nudge's text. Null where no service was asked.
alter table nudged.delivery add column decision jsonb;

-- When the service was asked of this user, at most 20 instants of the last hour: max_analyses_per_hour holds across daemons and restarts. Written before
-- the question, by whoever holds the lease, and by nobody else. Null, and no byte of the row, where no service is configured.
alter table nudged.person add column analysed timestamptz[];
