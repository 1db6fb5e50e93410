import JSON
import NudgedPreferences
import Policy
import TestSupport
import TimeZones

import struct FoundationEssentials.UUID

/// What several tests share: the zones and the files beside the tests.
enum Fixture {
    static let zones = ZoneDatabase()
    static let zoneNames = zones.names
    static let decide = DecideLine(zones: zones)

    static func answer(_ line: String, by decide: DecideLine = decide) throws -> JSONValue {
        try JSONValue(parsing: decide.answer(Array(line.utf8)))
    }

    /// The vectors, one JSON text a line.
    static func vectors() throws -> [String] { try lines("policy-vectors.jsonl") + lines("policy-additions.jsonl") }

    /// A table's rows, with tabs between their fields.
    static func table(_ name: String) throws -> [[String]] {
        try lines("\(name).tsv").map { $0.split(separator: "\t").map(String.init) }
    }

    private static func lines(_ name: String) throws -> [String] {
        try Checkout.text("Tests/PolicyTests/Fixtures/\(name)").split(separator: "\n").map(String.init)
    }

    /// The answers of the reference reading in Python to input lines.
    static func reference(_ lines: [String]) throws -> [JSONValue] {
        let script = Checkout.root + "/Tests/Reference/policy_reference.py"
        return try Python.answers([script], to: lines, environment: ["TZDIR": zones.directory]).map {
            try JSONValue(parsing: $0)
        }
    }

    /// The keys of an answer that the reference gives too.
    static let compared = ["action", "reason", "next_at", "slot", "urgent", "valid_until"]

    /// The first key in which two answers differ.
    static func difference(_ left: JSONValue, _ right: JSONValue) -> String? {
        compared.first { left[$0] == nil || left[$0] != right[$0] }
    }
}

/// Short ways to candidates for the tests of single rules.
enum Questions {
    static let user = UUID(uuidString: "a93db3eb-2346-4f80-a563-f2a9ee7fc5e3") ?? UUID()

    static func at(_ text: String) -> Instant { Instant(rfc3339: text) ?? .first }

    static func day(_ text: String) -> LocalDate { LocalDate(iso: text) ?? LocalDate(days: 0) }

    /// Check-ins in Berlin at 10:00 by the rules, quiet from 22:00 to 08:00; `extra` holds further preferences as JSON members.
    static func checkIn(_ frequency: String = "daily", extra: String = "", history: History = History()) -> Candidate {
        let preferences = Preferences(parsing: "{\"check_ins_enabled\":true,\"frequency\":\"\(frequency)\"\(extra)}")
        var candidate = Candidate(userID: user, preferences: preferences, timezone: "Europe/Berlin", nudge: .checkIn)
        candidate.history = history
        return candidate
    }

    static func message(_ title: String, body: String = "", keywords: [String] = [], extra: [String: JSONValue] = [:])
        -> Candidate
    {
        var object = JSONObject()
        object["priority_keywords"] = .array(keywords.map { .string($0) })
        for (key, value) in extra { object[key] = value }
        let message = Message(title: title, body: body, urgent: false)
        let preferences = Preferences(json: .object(object))
        return Candidate(userID: user, preferences: preferences, timezone: "Europe/Berlin", nudge: .message(message))
    }
}
