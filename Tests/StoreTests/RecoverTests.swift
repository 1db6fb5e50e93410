import TestSupport
import Testing

import struct FoundationEssentials.UUID

@testable import Core

/// What the intents of members that have ended become.
@Suite(.ownThreads) struct RecoverTests {
    /// Two daemons find an orphan at once: each push is recorded once.
    @Test func recover_whenTwoDaemonsDoItAtOnce_recordsOnce() async throws {
        let (fixture, member, users) = try await F.claimed(1...40)
        for start in stride(from: 0, to: 40, by: 4) {
            _ = try await fixture.store.commit(F.intent(Array(users[start..<start + 4]), member: member))
        }
        try fixture.die()
        let stores = (1...3).map { _ in Store(configuration: fixture.configuration) }
        let pushes = try await withThrowingTaskGroup(of: Int.self) { group in
            for store in stores { group.addTask { try await store.recoverOrphans(limit: 99).pushes } }
            return try await group.reduce(0, +)
        }
        #expect(pushes == 40)
        #expect(try fixture.sql("select count(*), count(distinct apns_id) from nudged.delivery") == "40|40")
        #expect(try fixture.sends() == Array(repeating: 1, count: 40))
        #expect(try fixture.sql("select count(*) from nudged.intent") == "0")
        for store in stores { await store.close() }
    }
}
