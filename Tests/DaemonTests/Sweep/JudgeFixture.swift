import Policy
import Store
import TimeZones

import struct FoundationEssentials.UUID

@testable import Daemon

/// A judge of the default rules, and users as a claim would bring them.
enum JudgeFixture {
    static let lane = LaneIdentity(environment: "sandbox", topic: "com.example.app")
    static let zones = ZoneDatabase()
    static let userID = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    static let daily =
        #"{"check_ins_enabled":true,"frequency":"daily","timezone":"Asia/Tokyo","check_in_time":"10:00"}"#

    static func judge(_ rules: Rules = .defaults) -> Judge {
        Judge(policy: Policy(rules: rules, zones: zones), lanes: LaneDirectory(standard: lane))
    }

    static func at(_ text: String) -> Instant { Instant(rfc3339: text) ?? Instant(seconds: 0) }

    static func date(_ text: String) -> LocalDate { LocalDate(iso: text) ?? LocalDate(days: 0) }

    static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    static func device(_ number: Int, registered: String = "2026-01-01T00:00:00Z") -> Device {
        Device(token: token(number), registeredAt: at(registered))
    }

    static func user(
        version: Int64 = 1,
        touchedAt: Instant? = nil,
        since: Instant? = nil,
        fingerprint: Int64? = nil,
        askedAt: Instant? = nil,
        history: History = History(),
        retry: Retry? = nil,
        quarantine: String? = nil,
        preferences: String? = daily,
        timezone: String? = nil,
        firstSessionComplete: Bool = true,
        devices: [Device] = [device(1)]
    ) -> ClaimedUser {
        ClaimedUser(
            userID: userID,
            version: version,
            dueAt: 0,
            touchedAt: touchedAt,
            since: since,
            fingerprint: fingerprint,
            askedAt: askedAt,
            history: history,
            retry: retry?.json,
            quarantine: quarantine,
            preferences: preferences,
            timezone: timezone,
            firstSessionComplete: firstSessionComplete,
            devices: devices
        )
    }

    /// What a user's row is once the daemon died with the intent of this nudge open: as recover.sql makes it.
    static func recovered(_ nudge: PlannedNudge, by judge: Judge, now: Instant) -> PersonUpdate {
        PersonUpdate(
            userID: nudge.userID,
            version: nudge.version,
            dueAt: now,
            askedAt: now,
            since: nudge.candidate.since,
            fingerprint: nudge.fingerprint,
            history: nudge.candidate.history.adding(nudge.countedAs ?? CheckIn(at: now, slot: nudge.slot)),
            retry: judge.entry(nudge).retry
        )
    }
}

extension Judgement {
    var nudge: PlannedNudge? {
        if case .send(let nudge) = verdict { return nudge }
        return nil
    }

    var rest: PersonUpdate? {
        if case .rest(let update, _) = verdict { return update }
        return nil
    }

    var reason: Reason? {
        if case .rest(_, let reason) = verdict { return reason }
        return nil
    }
}
