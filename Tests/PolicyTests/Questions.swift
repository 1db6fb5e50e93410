import Foundation
import JSON
import NudgedPreferences
import Policy
import TimeZones

/// Short ways to candidates for the tests of single rules.
enum Questions {
    static let user = UUID(uuidString: "a93db3eb-2346-4f80-a563-f2a9ee7fc5e3") ?? UUID()

    static func at(_ text: String) -> Instant { Instant(rfc3339: text) ?? .first }

    static func day(_ text: String) -> LocalDate { LocalDate(iso: text) ?? LocalDate(days: 0) }

    /// Check-ins in Berlin at 10:00 by the rules, quiet from 22:00 to 08:00; `extra` holds further preferences as JSON members.
    static func checkIn(_ frequency: String = "daily", extra: String = "", history: History = History()) -> Candidate {
        let preferences = Preferences(parsing: "{\"check_ins_enabled\":true,\"frequency\":\"\(frequency)\"\(extra)}")
        var candidate = Candidate(
            userID: user,
            preferences: preferences,
            timezone: "Europe/Berlin",
            nudge: .checkIn
        )
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
        return Candidate(
            userID: user,
            preferences: Preferences(json: .object(object)),
            timezone: "Europe/Berlin",
            nudge: .message(message)
        )
    }
}
