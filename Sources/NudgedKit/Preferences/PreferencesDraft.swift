import JSON
// Apps see its types as NudgedKit's own.
@_exported public import NudgedPreferences

/// Preferences as a settings screen edits them. `problems` checks them, `encoded(over:)` writes them.
public struct PreferencesDraft: Sendable, Equatable {
    /// Whether the user wants check-ins.
    public var checkInsEnabled = false
    /// How often the user wants check-ins.
    public var frequency = Frequency.fewTimesAWeek
    /// The zone of the times below: `UTC` or a name such as `Europe/Paris`. Nil: the profile's zone.
    public var timezone: String?
    /// The local time of check-ins. Nil: the operator's time.
    public var checkInTime: TimeOfDay?
    /// The day of weekly check-ins, 1 (Monday) to 7 as in ISO 8601. Nil: nudged chooses one.
    public var weekday: Int?
    /// The first quiet minute. Set both halves of the quiet hours or neither. Nil: the operator's quiet hours.
    public var quietHoursStart: TimeOfDay?
    /// The first minute after the quiet hours. Equal to the start: no quiet hours.
    public var quietHoursEnd: TimeOfDay?
    /// By weekday, 1 (Monday) to 7: what replaces the quiet hours on that day. Equal start and end: none begin on it.
    public var quietHoursByDay: [Int: QuietHours] = [:]
    /// Nothing but urgent messages is sent before this instant. Nil: the user is not muted.
    public var mutedUntil: UTCSecond?
    /// Keywords that make a message urgent.
    public var priorityKeywords: [String] = []
    /// Whether urgent messages may be sent in quiet hours.
    public var allowUrgent = true
    /// The most nudges in any 3,600 s, 1 or more. Nil: the operator's limit.
    public var maxPerHour: Int64?
    /// The most nudges in any 86,400 s, 1 or more. Nil: the operator's limit.
    public var maxPerDay: Int64?
    /// Whether the user wants messages and reminders.
    public var messagesEnabled = true
    /// Whether the user wants reminders. Nil: as `messagesEnabled`.
    public var remindersEnabled: Bool?
    /// Messages of a category that is false here are not sent.
    public var categories: [String: Bool] = [:]
    /// Whether the user lets the decision service read the texts of their nudges.
    public var smartEnabled = false
    /// The most questions to the decision service for this user in 3,600 s, 5 to 20.
    public var maxAnalysesPerHour = Preferences.defaultMaxAnalysesPerHour
    /// What happens if the decision service gives no answer.
    public var fallbackStrategy = FallbackStrategy.simpleRules
    /// How long a conversation must be silent before a message of it is sent, 60 to 300 s.
    public var pauseThresholdSeconds = Preferences.defaultPauseThresholdSeconds
    /// How many messages make a conversation an active one, 10 to 50.
    public var activeConversationThreshold = Preferences.defaultActiveConversationThreshold

    /// No check-ins, and every other key at its default.
    public init() {}

    /// The preferences that are in force. Malformed preferences give a draft without check-ins, and invalid keys are
    /// nil or at their defaults.
    public init(_ preferences: Preferences) {
        checkInsEnabled = preferences.malformed == nil && preferences.checkInsEnabled ?? false
        frequency = preferences.frequency ?? .fewTimesAWeek
        timezone = preferences.timezone
        checkInTime = preferences.checkInTime
        weekday = preferences.weekday
        quietHoursStart = preferences.quietHours?.start
        quietHoursEnd = preferences.quietHours?.end
        quietHoursByDay = preferences.quietHoursByDay
        mutedUntil = preferences.mutedUntil
        priorityKeywords = preferences.priorityKeywords
        allowUrgent = preferences.allowUrgent
        maxPerHour = preferences.maxPerHour
        maxPerDay = preferences.maxPerDay
        messagesEnabled = preferences.messagesEnabled
        let areEqual = preferences.remindersEnabled == preferences.messagesEnabled
        remindersEnabled = areEqual ? nil : preferences.remindersEnabled
        categories = preferences.categories ?? [:]
        smartEnabled = preferences.smartEnabled
        maxAnalysesPerHour = preferences.maxAnalysesPerHour
        fallbackStrategy = preferences.fallbackStrategy
        pauseThresholdSeconds = preferences.pauseThresholdSeconds
        activeConversationThreshold = preferences.activeConversationThreshold
    }
}

extension PreferencesDraft {
    /// The keywords of a user who opts in, in English. An app in another language passes its own.
    public static let defaultKeywords = ["urgent", "asap", "emergency", "deadline"]

    /// What the app writes when a user opts in.
    ///
    /// A user who never did (the column is null) gets the client's defaults: check-ins a few times a week, and
    /// keywords. Another user keeps every choice, and gets check-ins again.
    public static func optingIn(
        over preferences: Preferences,
        keywords: [String] = defaultKeywords
    ) -> PreferencesDraft {
        var draft = PreferencesDraft(preferences)
        draft.checkInsEnabled = true
        if preferences.isNull { draft.priorityKeywords = keywords }
        return draft
    }
}

extension PreferencesDraft {
    /// Every error, in the order of `PreferenceKey`. Empty if the draft can be written.
    public var problems: [PreferenceProblem] {
        var problems: [PreferenceProblem] = []
        if let timezone, !ZoneName.isWellFormed(timezone) {
            problems.append(PreferenceProblem(.timezone, wanted: "UTC or a name as Europe/Paris"))
        }
        check(weekday.map { Int64($0) }, .weekday, &problems)
        switch (quietHoursStart, quietHoursEnd) {
        case (_?, nil): problems.append(PreferenceProblem(missing: .quietHoursEnd, beside: .quietHoursStart))
        case (nil, _?): problems.append(PreferenceProblem(missing: .quietHoursStart, beside: .quietHoursEnd))
        default: break
        }
        if quietHoursByDay.keys.contains(where: { !(1...7).contains($0) }) {
            problems.append(PreferenceProblem(.quietHoursByDay))
        }
        check(maxPerHour, .maxPerHour, &problems)
        check(maxPerDay, .maxPerDay, &problems)
        check(Int64(maxAnalysesPerHour), .maxAnalysesPerHour, &problems)
        check(Int64(pauseThresholdSeconds), .pauseThresholdSeconds, &problems)
        check(Int64(activeConversationThreshold), .activeConversationThreshold, &problems)
        return problems
    }

    private func check(_ value: Int64?, _ key: PreferenceKey, _ problems: inout [PreferenceProblem]) {
        guard let value, let range = key.range, !range.contains(value) else { return }
        problems.append(PreferenceProblem(key))
    }
}

extension PreferencesDraft {
    /// The text for the column `notification_preferences`: one JSON object.
    ///
    /// - Parameter column: the column's present text. Keys that nudged does not know are kept; numbers in them that are
    ///   no 64-bit integers become doubles. Known keys are replaced, or removed if they are nil in this draft.
    /// - Throws: the first of `problems`, or that of a text which is longer than the daemon reads. So the app never
    ///   writes what the daemon would refuse.
    public func encoded(over column: String? = nil) throws(PreferenceProblem) -> String {
        if let problem = problems.first { throw problem }
        var members: [JSONObject.Member] = []
        var left = values
        for member in Self.members(of: column) {
            guard let key = PreferenceKey(rawValue: member.key) else {
                members.append(member)
                continue
            }
            if let value = left.removeValue(forKey: key) { members.append(.init(key: key.rawValue, value: value)) }
        }
        for key in PreferenceKey.allCases {
            if let value = left[key] { members.append(.init(key: key.rawValue, value: value)) }
        }
        let text = JSONValue.object(JSONObject(members)).document
        guard Self.length(text) <= Preferences.longest else {
            throw PreferenceProblem(.priorityKeywords, wanted: "fewer: all keys together may have 65,536 characters")
        }
        return text
    }

    /// How long the text is as jsonb, which writes a space after each comma and colon.
    private static func length(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + ($1 == "," || $1 == ":" ? 2 : 1) }
    }

    /// The values to write, by key. A key that is nil here is not written.
    private var values: [PreferenceKey: JSONValue] {
        var values: [PreferenceKey: JSONValue] = [
            .checkInsEnabled: .bool(checkInsEnabled), .frequency: .string(frequency.rawValue),
            .priorityKeywords: .array(priorityKeywords.map { .string($0) }), .allowUrgent: .bool(allowUrgent),
            .messagesEnabled: .bool(messagesEnabled), .smartEnabled: .bool(smartEnabled),
            .maxAnalysesPerHour: .int(Int64(maxAnalysesPerHour)),
            .fallbackStrategy: .string(fallbackStrategy.rawValue),
            .pauseThresholdSeconds: .int(Int64(pauseThresholdSeconds)),
            .activeConversationThreshold: .int(Int64(activeConversationThreshold)),
        ]
        values[.timezone] = timezone.map { .string($0) }
        values[.checkInTime] = checkInTime.map { .string($0.description) }
        values[.weekday] = weekday.map { .int(Int64($0)) }
        values[.quietHoursStart] = quietHoursStart.map { .string($0.description) }
        values[.quietHoursEnd] = quietHoursEnd.map { .string($0.description) }
        if !quietHoursByDay.isEmpty {
            values[.quietHoursByDay] = Self.object(quietHoursByDay.map { ("\($0)", Self.value($1)) })
        }
        values[.mutedUntil] = mutedUntil.map { .string($0.description) }
        values[.remindersEnabled] = remindersEnabled.map { .bool($0) }
        if !categories.isEmpty { values[.categories] = Self.object(categories.map { ($0, .bool($1)) }) }
        values[.maxPerHour] = maxPerHour.map { .int($0) }
        values[.maxPerDay] = maxPerDay.map { .int($0) }
        return values
    }

    private static func value(_ hours: QuietHours) -> JSONValue {
        object([("start", .string(hours.start.description)), ("end", .string(hours.end.description))])
    }

    /// Sorted by key, so that equal drafts give equal texts.
    private static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(JSONObject(members.sorted { $0.0 < $1.0 }.map { JSONObject.Member(key: $0, value: $1) }))
    }

    /// The column's members; empty if it holds no JSON object.
    private static func members(of column: String?) -> [JSONObject.Member] {
        guard let column, case .object(let object)? = try? JSONValue(parsing: column) else { return [] }
        return object.members
    }
}

extension Frequency {
    /// A name in plain English, for a settings screen.
    public var displayName: String {
        switch self {
        case .daily: "Every day"
        case .fewTimesAWeek: "A few times a week"
        case .weekly: "Once a week"
        }
    }

    /// The name's key in the app's table of translations: `nudged.frequency.few_times_a_week`.
    public var displayKey: String { "nudged.frequency.\(rawValue)" }
}

extension FallbackStrategy {
    /// A name in plain English, for a settings screen.
    public var displayName: String {
        switch self {
        case .simpleRules: "Only what is urgent or names my keywords"
        case .notifyAll: "Everything"
        case .suppressAll: "Nothing"
        }
    }

    /// The name's key in the app's table of translations: `nudged.fallback_strategy.notify_all`.
    public var displayKey: String { "nudged.fallback_strategy.\(rawValue)" }
}
