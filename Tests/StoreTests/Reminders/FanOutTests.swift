import Policy
import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// Reminders for everyone become one row per member.
@Suite(.ownThreads) struct FanOutTests {
    /// Two at once, page by page: each member has one.
    @Test func fanOut_whenTwoDaemonsDoIt_tellsEachOnce() async throws {
        let fixture = try await F.withUsers()
        try fixture.sql(
            """
            create table public.task_member as select '7' as task_id, gen_random_uuid() as user_id from generate_series(1, 3001);
            create or replace view nudged.subject_member as
            select 'task'::text as subject_type, task_id as subject_id, user_id from public.task_member;
            """
        )
        try fixture.setReminder("due_at => now(), audience => 'everyone'")
        try fixture.forgetTouches()
        let other = Store(configuration: fixture.configuration)
        @Sendable func run(_ store: Store) async throws -> Int {
            var told = 0
            while true {
                let now = Instant(seconds: try await store.clock() / 1_000_000 + 1)
                guard let fanOut = try await store.dueFanOuts(now: now, except: [], limit: 1).first else { return told }
                switch try await store.tell(fanOut, next: nil, limit: 100) {
                case .told(let count, _), .finished(let count): told += count
                case .held: await Task.yield()
                }
            }
        }
        async let one = run(fixture.store)
        async let two = run(other)
        let counts = try await [one, two]
        #expect(counts.reduce(0, +) == 3001)
        #expect(try fixture.sql("select count(*), count(distinct user_id) from nudged.occurrence") == "3001|3001")
        #expect(try fixture.sql("select count(*) from nudged.touched") == "3001")
    }
}
