import Policy
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// What a row may hold without a trap, however it came there.
struct ClaimedUserTests {
    private func user(version: Int64) -> ClaimedUser {
        ClaimedUser(
            ClaimedUser.Values(
                userID: UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
                version: version,
                dueAt: 0,
                touchedAt: nil,
                since: nil,
                evaluatedAt: nil,
                state: UserState(),
                retry: nil,
                preferences: nil,
                timezone: nil,
                firstSessionComplete: true,
                devices: []
            )
        )
    }

    @Test func version_whenAUserIsTouched_countsOn() {
        let now = Instant(seconds: 1_000)
        let change = ClaimedUser.Touch(changedAt: now)
        let arrival = ClaimedUser.Touch(changedAt: nil)
        #expect(user(version: 0).touched(change, now: now).version == 1)
        #expect(user(version: 7).touched(change, now: now).version == 1 << 32)
        #expect(user(version: 7).touched(arrival, now: now).version == 8)
        #expect(user(version: .max).touched(change, now: now).version == .min)
        #expect(user(version: .max).touched(arrival, now: now).version == .min)
    }

    @Test func slot_whenOutsideTheCalendar_isNone() {
        #expect(LocalDate(slot: 2_932_896) == LocalDate(year: 9999, month: 12, day: 31))
        #expect(LocalDate(slot: 0) == LocalDate(year: 1970, month: 1, day: 1))
        // The last one is PostgreSQL's 5874897-12-31.
        for days in [-1, .min, .max, 2_932_897, 2_145_042_905] as [Int64] {
            #expect(LocalDate(slot: days) == nil)
        }
    }
}
