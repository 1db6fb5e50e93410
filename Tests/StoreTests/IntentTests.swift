import Postgres
import Synchronization
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// Intents: committed, refused, withdrawn.
@Suite(.ownThreads) struct IntentTests {
    /// The intent's commit is under way on the server while its connection is lost here: the withdrawal waits for it, and takes it back.
    @Test func withdrawal_whenTheIntentIsStillBeingCommitted_takesItBack() async throws {
        let (fixture, member, users) = try await F.claimed(1...1)
        let intent = F.intent(users, member: member)
        let slow = try await fixture.connection()
        let settlement = Settlement(member, users.map { F.change($0) }, withdrawn: [intent.id])
        let withdrawal = try await slow.transaction(timeout: .seconds(60)) { transaction in
            _ = try await transaction.run(Query.intent(intent.parameters))
            let withdrawal = Task { try await fixture.store.settle(settlement) }
            try await fixture.untilSomebodyWaits()
            return withdrawal
        }
        // It waits for some seconds, and is tried again if that was too short.
        var settled = try? await withdrawal.value
        if settled == nil { settled = try await fixture.store.settle(settlement) }
        #expect(settled?.settled == [F.user(1)])
        #expect(try fixture.sql("select count(*) from nudged.intent") == "0")
    }
}
