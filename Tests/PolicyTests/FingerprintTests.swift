import NudgedPreferences
import Policy
import Testing

struct FingerprintTests {
    private let policy = Policy(rules: .defaults, zones: Fixture.zones)

    private func fingerprint(_ change: (inout Candidate) -> Void = { _ in }) throws -> Int64 {
        var candidate = Questions.checkIn("daily", extra: ",\"check_in_time\":\"09:00\"")
        change(&candidate)
        return try policy.scheduleFingerprint(candidate)
    }

    @Test func fingerprint_whenNothingOfItChanges_isEqual() throws {
        // Stored in databases: the value itself must never change.
        #expect(try fingerprint() == -1_431_963_304_508_486_311)
        let texts = [
            #"{"check_ins_enabled":true,"frequency":"daily","check_in_time":"09:00","max_per_day":2}"#,
            #"{"check_in_time":"09:00","frequency":"daily","check_ins_enabled":true,"timezone":"Mars/Base"}"#,
        ]
        let same: [(inout Candidate) -> Void] = [
            { $0.paused = true }, { $0.devices = 3 }, { $0.since = Questions.at("2026-01-01T00:00:00Z") },
            { $0.history.close(Questions.day("2026-01-01")) }, { $0.preferences = Preferences(parsing: texts[0]) },
            { $0.preferences = Preferences(parsing: texts[1]) },
        ]
        for change in same { #expect(try fingerprint(change) == fingerprint()) }
    }

    @Test func fingerprint_whenAnyOfItChanges_differs() throws {
        let preferences = [
            "{\"check_ins_enabled\":false,\"frequency\":\"daily\",\"check_in_time\":\"09:00\"}",
            "{\"check_ins_enabled\":true,\"frequency\":\"weekly\",\"check_in_time\":\"09:00\"}",
            "{\"check_ins_enabled\":true,\"frequency\":\"daily\",\"check_in_time\":\"09:01\"}",
            "{\"check_ins_enabled\":true,\"frequency\":\"daily\"}",
            "{\"check_ins_enabled\":true,\"frequency\":\"daily\",\"check_in_time\":\"09:00\",\"weekday\":1}",
            "{\"check_ins_enabled\":true,\"frequency\":\"daily\",\"check_in_time\":\"09:00\",\"timezone\":\"Asia/Tokyo\"}",
            "{\"check_ins_enabled\":true}", "null",
        ]
        var changes: [(inout Candidate) -> Void] = preferences.map { text in
            { $0.preferences = Preferences(parsing: text) }
        }
        changes += [
            { $0.timezone = "Europe/Paris" }, { $0.timezone = nil }, { $0.firstSessionComplete = false },
            { $0.devices = 0 },
        ]
        let found = try changes.map { try fingerprint($0) } + [fingerprint()]
        #expect(Set(found).count == found.count)
    }
}
