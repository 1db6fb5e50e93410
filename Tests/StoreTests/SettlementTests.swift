import Policy
import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// Outcomes and decisions, as they are settled, and what is remembered of refused devices.
@Suite(.ownThreads) struct SettlementTests {
    @Test func settle_whenHistoriesDiffer_givesEachTheirOwn() async throws {
        let (fixture, member, users) = try await F.claimed()
        let days = (1...3).map { F.slot - $0 }
        let histories = [
            History(checkIns: days.map { CheckIn(at: F.now, slot: $0) }, closed: [days[0]], sent: []),
            History(),
            History(checkIns: [CheckIn(at: F.now, slot: days[2])], closed: Array(days[0...1]), sent: [F.now, F.now]),
        ]
        let changes = zip(users, histories).map { F.change($0, history: $1) }
        _ = try await fixture.store.settle(Settlement(member, changes.reversed()))
        #expect(try await fixture.claim().isEmpty)
        try fixture.sql("update nudged.person set due_at = '2026-01-03'")
        let read = try await fixture.claim().sorted { $0.userID < $1.userID }.map(\.history)
        #expect(read == histories)
    }

    @Test func quarantine_isBounded() async throws {
        let fixture = try await F.withUsers(1...1)
        for round in 0..<3 {
            let devices = (0..<60).map { number in
                EnvironmentNote(
                    userID: F.user(1),
                    token: "",
                    deviceHash: "\(round)-\(number)",
                    environment: "sandbox",
                    topic: "com.example.app",
                    state: .refused,
                    registration: nil,
                    at: F.now,
                    reason: "BadDeviceToken"
                )
            }
            try await fixture.store.quarantine(devices, now: F.now)
        }
        #expect(try fixture.sql("select jsonb_array_length(quarantine) <= 160 from nudged.person") == "t")
    }
}
