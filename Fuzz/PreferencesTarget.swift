import Fixtures
import JSON
import NudgedKit
import Policy

/// Reads the input as the text of `notification_preferences`, and decides about nudges for its user.
enum PreferencesTarget {
    private static let policy = Policy(rules: .defaults, zones: PlannerFixture.zones)
    private static let now = PlannerFixture.at("2026-11-20T12:00:00Z")

    static func run(_ input: UnsafeRawBufferPointer) -> Int32 {
        let text = String(decoding: input, as: UTF8.self)
        let preferences = Preferences(parsing: text)
        require(preferences == Preferences(parsing: text), "two answers about one text")
        checkValues(preferences)
        let consent = (try? JSONValue(parsing: text))?["smart_enabled"]
        require(!preferences.smartEnabled || consent == .bool(true), "a consent that nobody gave")
        checkDraft(preferences, text)
        checkDecisions(preferences)
        return 0
    }

    private static func checkValues(_ preferences: Preferences) {
        let isWellFormed = preferences.malformed == nil && !preferences.isNull
        require(!isWellFormed || preferences.checkInsEnabled != nil, "well formed without check_ins_enabled")
        require(!isWellFormed || preferences.frequency != nil, "well formed without frequency")
        require(preferences.weekday.map { (1...7).contains($0) } ?? true, "a weekday out of range")
        require((5...20).contains(preferences.maxAnalysesPerHour), "analyses out of range")
        for most in [preferences.maxPerHour, preferences.maxPerDay] { require(most ?? 1 >= 1, "a limit below 1") }
        if let cause = preferences.malformed {
            // Its own texts only, never the value that was found.
            require(cause.utf8.count <= 120 && cause.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "says \(cause)")
        }
    }

    /// What a settings screen writes back means the same, and never turns check-ins on.
    private static func checkDraft(_ preferences: Preferences, _ text: String) {
        let draft = PreferencesDraft(preferences)
        let isOn = preferences.malformed == nil && preferences.checkInsEnabled == true
        require(draft.checkInsEnabled == isOn, "a draft that differs in check-ins")
        do throws(PreferenceProblem) {
            let written = try draft.encoded(over: text)
            let again = Preferences(parsing: written)
            require(again.malformed == nil && !again.isNull, "writes malformed preferences")
            require(PreferencesDraft(again) == draft, "a draft comes back changed")
            if preferences.malformed == nil, !preferences.isNull {
                require(again == preferences, "preferences come back changed")
            }
            require((try? draft.encoded(over: written)) == written, "written twice, it differs")
        } catch {
            require([.timezone, .priorityKeywords].contains(error.key), "refuses \(error.key)")
        }
    }

    private static func checkDecisions(_ preferences: Preferences) {
        var candidate = Candidate(
            userID: PlannerFixture.userID,
            preferences: preferences,
            timezone: "Europe/London",
            nudge: .checkIn
        )
        // Some names can't be read now, such as that of a folder.
        guard let decision = try? policy.decide(candidate, now: now) else { return }
        let isOn = preferences.malformed == nil && preferences.checkInsEnabled == true
        require(isOn || decision.action == .hold, "a check-in for a user who did not opt in")
        require(decision.nextAt.map { $0 > now } ?? true, "an answer that ends at once")
        if preferences.malformed != nil {
            require(decision.reason == .preferencesMalformed, "malformed, but \(decision.reason)")
        }
        candidate.nudge = .message(Message(title: "The server", body: "is DOWN, a a b!", urgent: false))
        guard let answer = try? policy.decide(candidate, now: now) else { return }
        require(preferences.messagesEnabled || answer.action == .drop, "a message for a user who wants none")
        require(!answer.urgent || !preferences.priorityKeywords.isEmpty, "urgent without a keyword")
    }
}
