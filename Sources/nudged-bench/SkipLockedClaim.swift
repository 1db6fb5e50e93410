import Postgres
import TimeZones

import struct FoundationEssentials.UUID

/// What the claim is held against: one statement by `FOR UPDATE SKIP LOCKED` on an index of (`due_at`, `user_id`), as one machine could have
/// it. Only the bench has it: databases on several machines refuse it.
struct SkipLockedClaim: Sendable {
    let database: Database

    /// Users, their versions and when they were due; all that the policy asks is read, too.
    func users(
        _ now: Instant,
        after cursor: (Int64, UUID),
        limit: Int,
        leaseID: UUID
    ) async throws -> [(id: UUID, version: Int64, dueAt: Int64)] {
        let off = ["enable_seqscan", "enable_hashjoin", "enable_mergejoin", "jit", "enable_bitmapscan"]
        let statement = Statement(
            "skip_locked",
            sql: Self.sql,
            parameters: [
                .timestamp(now.seconds * 1_000_000 + 999_999), .timestamp(cursor.0), .uuid(cursor.1),
                .int8(Int64(limit)), .uuid(leaseID), .int8(60_000), .uuidArray([]),
            ]
        )
        let rows = try await database.connection().transaction([statement], settings: off.map { ($0, "off") })[0]
        return try (0..<rows.count).map { (try rows.uuid($0, 0), try rows.int8($0, 1), try rows.timestamp($0, 2)) }
    }

    private static let sql = """
        with due as materialized (
            select user_id from nudged.person p
            where due_at <= $1
              and (due_at, user_id) > ($2, $3)
              and (lease_until is null or lease_until < statement_timestamp())
              and (
                  lease_id is null
                  or lease_id <> all ($7)
                  and not exists (select from nudged.intent i where i.lease_id = p.lease_id and p.user_id = any (i.user_ids))
              )
            order by due_at, user_id
            limit $4
            for update skip locked
        ),
        mine as (
            update nudged.person p
            set lease_id = $5, lease_until = statement_timestamp() + $6 * interval '1 millisecond'
            from due
            where p.user_id = due.user_id
            returning p.*
        )
        select
            m.user_id, m.version, m.due_at, m.touched_at, m.since, m.fingerprint, m.asked_at,
            m.check_in_at, m.check_in_slot, m.closed, m.sent, m.retry::text,
            r.preferences, r.timezone, r.first_session_complete,
            d.tokens, d.registered_at, d.environments, d.topics,
            m.quarantine::text
        from mine m
        left join lateral (
            -- The app's columns have the app's types (varchar, an enum, timestamp, json): we read ours, and of a value that is too long to be one its head.
            select
                left(preferences::text, 65537) as preferences, left(timezone::text, 128) as timezone,
                first_session_complete::boolean as first_session_complete
            from nudged.recipient where user_id = m.user_id limit 1
        ) r on true
        left join lateral (
            select
                array_agg(token order by token) as tokens,
                array_agg(registered_at order by token) as registered_at,
                array_agg(environment order by token) as environments,
                array_agg(topic order by token) as topics
            from (
                select
                    left(token::text, 512) as token,
                    -- An instant that no calendar of ours can say (infinity, the year 294270) is none. Compared as it is: the cast can fail, too.
                    case when registered_at between '0001-01-01' and '9999-12-31' then registered_at::timestamptz end as registered_at,
                    nullif(left(environment::text, 256), '') as environment, nullif(left(topic::text, 256), '') as topic
                -- Bounded: a hundred devices are no person's; the newest count.
                from nudged.device where user_id = m.user_id order by registered_at desc nulls last limit 100
            ) one
        ) d on true
        order by m.due_at, m.user_id
        """
}
