import Postgres
import TestSupport
import Testing

@testable import Core

@Suite(.ownThreads) struct TouchTests {
    private func touches(_ fixture: StoreFixture) throws -> Int {
        Int(try fixture.sql("select count(*) from nudged.touched")) ?? -1
    }

    @Test func drain_whenUsersWereTouched_makesThemDueAndRaisesTheirVersion() async throws {
        let fixture = try await F.withUsers(1...1)
        try fixture.sql(
            "update nudged.person set due_at = '2030-01-01'; insert into nudged.touched (user_id) values (\(F.quoted(1))), (\(F.quoted(1))); insert into public.context_profiles (user_id) values (\(F.quoted(7)))"
        )
        #expect(try await fixture.drain(100) == 3)
        #expect(try touches(fixture) == 0)
        try fixture.expect(
            "select version, due_at <= '2026-11-20 12:00Z', touched_at is not null from nudged.person where user_id = \(F.quoted(1))",
            "4294967296|t|t"
        )
        try fixture.expect(
            "select version, due_at = '2026-11-20 12:00Z' from nudged.person where user_id = \(F.quoted(7))",
            "1|t"
        )
    }

    @Test func drain_whenTheUserIsDueAlready_keepsTheirPlace() async throws {
        let fixture = try await F.withUsers(1...1)
        let before = try fixture.sql("select due_at from nudged.person")
        try fixture.sql("insert into nudged.touched (user_id) values (\(F.quoted(1)))")
        try await fixture.drain(100)
        #expect(try fixture.sql("select due_at from nudged.person") == before)
    }

    /// The app's transaction must not wait for any row that the daemon holds.
    @Test func update_whenTheDaemonHoldsThePersonAndTheTouches_doesNotWait() async throws {
        let fixture = try await F.withUsers(1...1)
        try fixture.sql("insert into nudged.touched (user_id) values (\(F.quoted(1)))")
        let holder = try await fixture.connection()
        _ = try await holder.transaction { transaction in
            try await transaction.execute(
                script: "update nudged.person set version = version + 1; delete from nudged.touched"
            )
            // Any wait would end in an error, not in time.
            return try fixture.sql(
                "set lock_timeout = '1ms'; set statement_timeout = '20s'; update public.context_profiles set timezone = 'Asia/Tokyo'; delete from public.push_tokens"
            )
        }
        #expect(try touches(fixture) == 2)
    }
}
