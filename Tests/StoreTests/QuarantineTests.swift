import Policy
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// `nudged.person.quarantine`: what writes it, what a claim reads, what lifts it.
@Suite(.ownThreads) struct QuarantineTests {
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
