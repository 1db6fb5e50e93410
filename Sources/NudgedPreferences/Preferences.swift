package import JSON

/// A user's `notification_preferences`, decoded (docs/POLICY-SPEC.md, "Preferences").
///
/// One invalid key stops check-ins: they count as not opted in, and `malformed` says why. For messages and reminders
/// each key counts alone: an invalid key is absent, and an invalid opt-out counts as an opt-out.
public struct Preferences: Sendable, Equatable {
    /// Whether the column is null: the user never opted in.
    public private(set) var isNull = false
    /// The first error, which stops check-ins: the key and the expected value, never the value that was found. Nil if
    /// the preferences are well formed.
    public private(set) var malformed: String?
    /// Whether `malformed` only says that the user has not turned check-ins on. All other keys count.
    public private(set) var isUndecided = false
    /// Whether the user wants check-ins. Nil if absent or invalid.
    public private(set) var checkInsEnabled: Bool?
    /// How often the user wants check-ins. Nil if absent or invalid.
    public private(set) var frequency: Frequency?
    /// The zone of the times below, as it was written. It may be no valid name; see `ZoneName`. Nil: the profile's zone
    /// counts.
    public private(set) var timezone: String?
    /// The local time of check-ins. Nil: the operator's time.
    public private(set) var checkInTime: TimeOfDay?
    /// The day of weekly check-ins, 1 (Monday) to 7 as in ISO 8601. Nil: nudged chooses one.
    public private(set) var weekday: Int?
    /// The user's quiet hours. Equal start and end mean none. Nil: the operator's quiet hours.
    public private(set) var quietHours: QuietHours?
    /// By weekday, 1 (Monday) to 7: what replaces the quiet hours on that day. Equal start and end: none begin on it.
    public private(set) var quietHoursByDay: [Int: QuietHours] = [:]
    /// Nothing but urgent messages is sent before this instant. Nil: the user is not muted.
    public private(set) var mutedUntil: UTCSecond?
    /// Whether `muted_until` is there, but can't be read. Then messages and reminders are held.
    public private(set) var hasUnreadableMute = false
    /// Keywords that make a message urgent.
    public private(set) var priorityKeywords: [String] = []
    /// Whether urgent messages may be sent in quiet hours. Default: true.
    public private(set) var allowUrgent = true
    /// The most nudges in any 3,600 s, 1 or more. Nil: the operator's limit. If both are set, the smaller counts.
    public private(set) var maxPerHour: Int64?
    /// The most nudges in any 86,400 s, 1 or more. Nil: the operator's limit. If both are set, the smaller counts.
    public private(set) var maxPerDay: Int64?
    /// Whether the user wants messages and reminders. Default: true.
    public private(set) var messagesEnabled = true
    /// Whether the user wants reminders. Default: `messagesEnabled`.
    public private(set) var remindersEnabled = true
    /// The categories of messages that the user turned on or off. Nil: the value can't be read, so all are off.
    public var categories: [String: Bool]? {
        guard let categoryMembers else { return nil }
        // Not by Dictionary's initialiser: Embedded Swift lacks its casts.
        var categories: [String: Bool] = [:]
        for member in categoryMembers.members { categories[member.key] = member.value == .bool(true) }
        return categories
    }
    private var categoryMembers: JSONObject? = JSONObject()
    /// Whether the user lets the decision service read the texts of their nudges. Anything but true is false.
    public private(set) var smartEnabled = false
    /// The most questions to the decision service for this user in 3,600 s, 5 to 20. Default: 10.
    public private(set) var maxAnalysesPerHour = Self.defaultMaxAnalysesPerHour
    /// What happens if the decision service gives no answer. Default: `simpleRules`.
    public private(set) var fallbackStrategy = FallbackStrategy.simpleRules
    /// How long a conversation must be silent before a message of it is sent, 60 to 300 s. Default: 120.
    public private(set) var pauseThresholdSeconds = Self.defaultPauseThresholdSeconds
    /// How many messages make a conversation an active one, 10 to 50. Default: 20.
    public private(set) var activeConversationThreshold = Self.defaultActiveConversationThreshold

    package static let defaultMaxAnalysesPerHour = 10
    package static let defaultPauseThresholdSeconds = 120
    package static let defaultActiveConversationThreshold = 20

    /// Whether the user wants messages of a category. Nil: the message has none.
    package func allows(category: String?) -> Bool {
        guard let category else { return true }
        return categoryMembers.map { $0[category] ?? .bool(true) } == .bool(true)
    }

    /// Decodes the column's parsed value. Nil: the column is null.
    package init(json: JSONValue?) {
        switch json {
        case nil, .null?: isNull = true
        case .object(let object)?: decode(object)
        case let value?:
            malformed = "found \(value.typeName), wanted an object"
            allowUrgent = false
        }
    }

    /// The most Unicode scalars (PostgreSQL's characters) of a text that is read.
    public static let longest = 65_536

    /// Decodes the column's text. Nil: the column is null.
    ///
    /// A text that is no JSON (RFC 8259), or that has more than `longest` characters, counts as a value that is no
    /// object.
    public init(parsing text: String?) {
        guard let text else {
            self.init(json: nil)
            return
        }
        guard text.utf8.count <= Self.longest || text.unicodeScalars.count <= Self.longest else {
            self.init(json: .bool(false))
            malformed = "longer than 65,536 characters"
            return
        }
        do throws(JSONError) {
            self.init(json: try JSONValue(parsing: text))
        } catch {
            self.init(json: .bool(false))
            malformed = "found no JSON, wanted an object"
        }
    }
}

extension Preferences {
    /// Decodes each key independently. The first invalid one, in the order of the calls below, sets `malformed`.
    private mutating func decode(_ object: JSONObject) {
        checkInsEnabled = read(object, .checkInsEnabled, Self.bool)
        frequency = read(object, .frequency, Self.named)
        timezone = read(object, .timezone) { $0.text }
        checkInTime = read(object, .checkInTime, Self.time)
        weekday = int(object, .weekday)
        decodeQuietHours(object)
        mutedUntil = read(object, .mutedUntil) { $0.text.flatMap { UTCSecond($0) } }
        hasUnreadableMute = mutedUntil == nil && object[PreferenceKey.mutedUntil.rawValue] ?? .null != .null
        priorityKeywords = read(object, .priorityKeywords, Self.strings) ?? []
        allowUrgent = optOut(object, .allowUrgent)
        maxPerHour = int(object, .maxPerHour)
        maxPerDay = int(object, .maxPerDay)
        messagesEnabled = optOut(object, .messagesEnabled)
        remindersEnabled = optOut(object, .remindersEnabled, default: messagesEnabled)
        decodeCategories(object)
        // Not `read`: a badly written consent is none, and no reason to stop the user's check-ins.
        smartEnabled = object[PreferenceKey.smartEnabled.rawValue].flatMap(Self.bool) ?? false
        maxAnalysesPerHour = int(object, .maxAnalysesPerHour) ?? Self.defaultMaxAnalysesPerHour
        fallbackStrategy = read(object, .fallbackStrategy, Self.named) ?? .simpleRules
        pauseThresholdSeconds = int(object, .pauseThresholdSeconds) ?? Self.defaultPauseThresholdSeconds
        activeConversationThreshold =
            int(object, .activeConversationThreshold) ?? Self.defaultActiveConversationThreshold
        isUndecided = malformed == nil && frequency == nil && checkInsEnabled != true
        if checkInsEnabled == nil { reject(PreferenceProblem(.checkInsEnabled)) }
        if frequency == nil { reject(PreferenceProblem(.frequency)) }
    }

    /// A member that is no bool counts as false.
    private mutating func decodeCategories(_ object: JSONObject) {
        guard let value = object[PreferenceKey.categories.rawValue], value != .null else { return }
        categoryMembers = if case .object(let members) = value { members } else { nil }
        let isWell = categoryMembers?.members.allSatisfy { Self.bool($0.value) != nil } ?? false
        if !isWell { reject(PreferenceProblem(.categories)) }
    }

    /// Both halves or neither: one half alone gives no quiet hours.
    private mutating func decodeQuietHours(_ object: JSONObject) {
        let start = read(object, .quietHoursStart, Self.time)
        let end = read(object, .quietHoursEnd, Self.time)
        switch (start, end) {
        case (let start?, let end?): quietHours = QuietHours(start: start, end: end)
        case (nil, nil): break
        case (_?, nil): reject(PreferenceProblem(missing: .quietHoursEnd, beside: .quietHoursStart))
        case (nil, _?): reject(PreferenceProblem(missing: .quietHoursStart, beside: .quietHoursEnd))
        }
        let days = read(object, .quietHoursByDay) { if case .object(let days) = $0 { days } else { nil } }
        guard let days else { return }
        for weekday in 1...7 {
            guard let value = days["\(weekday)"] else { continue }
            quietHoursByDay[weekday] = Self.hours(value)
            if quietHoursByDay[weekday] == nil { reject(PreferenceProblem(.quietHoursByDay)) }
        }
    }

    /// Null is none: start and end are equal.
    private static func hours(_ value: JSONValue) -> QuietHours? {
        if value == .null { return QuietHours(start: TimeOfDay(hour: 0), end: TimeOfDay(hour: 0)) }
        guard let start = value["start"].flatMap(time), let end = value["end"].flatMap(time) else { return nil }
        return QuietHours(start: start, end: end)
    }

    /// An invalid value counts as false: an opt-out that was badly written is still an opt-out.
    private mutating func optOut(_ object: JSONObject, _ key: PreferenceKey, default absent: Bool = true) -> Bool {
        guard object[key.rawValue] ?? .null != .null else { return absent }
        return read(object, key, Self.bool) ?? false
    }

    /// An integer within the key's range.
    private mutating func int<Number: BinaryInteger>(_ object: JSONObject, _ key: PreferenceKey) -> Number? {
        read(object, key) { value in
            guard case .int(let int) = value, let range = key.range, range.contains(int) else { return nil }
            return Number(int)
        }
    }

    private mutating func read<T>(_ object: JSONObject, _ key: PreferenceKey, _ decode: (JSONValue) -> T?) -> T? {
        guard let value = object[key.rawValue], value != .null else { return nil }
        if let decoded = decode(value) { return decoded }
        reject(PreferenceProblem(key))
        return nil
    }

    private mutating func reject(_ fault: PreferenceProblem) { if malformed == nil { malformed = fault.description } }

    private static func bool(_ value: JSONValue) -> Bool? { if case .bool(let bool) = value { bool } else { nil } }

    private static func time(_ value: JSONValue) -> TimeOfDay? { value.text.flatMap { TimeOfDay($0) } }

    private static func named<Name: RawRepresentable<String>>(_ value: JSONValue) -> Name? {
        value.text.flatMap { Name(rawValue: $0) }
    }

    private static func strings(_ value: JSONValue) -> [String]? {
        guard case .array(let elements) = value else { return nil }
        let strings = elements.compactMap { $0.text }
        return strings.count == elements.count ? strings : nil
    }
}
