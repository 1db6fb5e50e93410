public import JSON
public import NudgedPreferences
import TimeZones

/// The operator's rules. Defaults and ranges are those of docs/POLICY.md, "Input".
public struct Rules: Sendable, Equatable {
    /// The zone of users who have no valid zone. Default: none.
    public private(set) var defaultTimezone: String?
    /// The local time of the slot, for users who chose no time. Default: 10:00.
    public private(set) var checkInTime = Self.defaultCheckInTime
    /// The window of the slot jitter in minutes, for users who chose no time. 0 to 1440, default 0.
    public private(set) var spreadMinutes = 0
    /// The quiet hours of users who set none. nil: none. Default: 22:00 to 08:00.
    public private(set) var quietHours: QuietHours? = Self.defaultQuietHours
    /// The window of the quiet jitter in minutes, for sends that wait for the end of quiet hours. 0 to 240, default 0.
    public private(set) var quietEndJitterMinutes = 0
    /// How many minutes late a check-in may still be sent. 1 to 2880, default 240.
    public private(set) var maxStalenessMinutes = 240
    /// The most sends in any 3,600 s, all kinds together. 1 or more. nil: no limit (the default).
    public private(set) var maxPerHour: Int64?
    /// The most sends in any 86,400 s, all kinds together. 1 or more. nil: no limit (the default).
    public private(set) var maxPerDay: Int64?

    public static let defaults = Rules()

    public static let defaultQuietHours = QuietHours(start: TimeOfDay(hour: 22), end: TimeOfDay(hour: 8))
    public static let defaultCheckInTime = TimeOfDay(hour: 10)

    private init() {}

    /// - Throws: `outOfRange` for the first value out of its range, with its name in docs/POLICY.md.
    public init(
        defaultTimezone: String? = nil,
        checkInTime: TimeOfDay = Rules.defaultCheckInTime,
        spreadMinutes: Int = 0,
        quietHours: QuietHours? = Rules.defaultQuietHours,
        quietEndJitterMinutes: Int = 0,
        maxStalenessMinutes: Int = 240,
        maxPerHour: Int64? = nil,
        maxPerDay: Int64? = nil
    ) throws(PolicyError) {
        self.defaultTimezone = defaultTimezone
        self.checkInTime = checkInTime
        self.spreadMinutes = try Self.checked(spreadMinutes, 0...1440, "spread_minutes")
        self.quietHours = quietHours
        self.quietEndJitterMinutes = try Self.checked(quietEndJitterMinutes, 0...240, "quiet_end_jitter_minutes")
        self.maxStalenessMinutes = try Self.checked(maxStalenessMinutes, 1...2880, "max_staleness_minutes")
        self.maxPerHour = try Self.checkedCap(maxPerHour, "max_per_hour")
        self.maxPerDay = try Self.checkedCap(maxPerDay, "max_per_day")
    }

    private static func checked(_ value: Int, _ range: ClosedRange<Int>, _ field: String) throws(PolicyError) -> Int {
        guard range.contains(value) else {
            let wanted = "an integer from \(range.lowerBound) to \(range.upperBound)"
            throw PolicyError(.outOfRange, field: field, found: "\(value)", wanted: wanted)
        }
        return value
    }

    private static func checkedCap(_ value: Int64?, _ field: String) throws(PolicyError) -> Int64? {
        if let value, value < 1 {
            throw PolicyError(.outOfRange, field: field, found: "\(value)", wanted: "an integer of 1 or more, or null")
        }
        return value
    }

    var maxStaleness: Int64 { Int64(maxStalenessMinutes) * 60 }
}

extension Rules {
    /// Reads the object `rules` of docs/POLICY.md, "Input". Absent keys have the default. Unknown keys are ignored.
    public init(json: JSONValue) throws(PolicyError) {
        try self.init(FieldReader(json, path: "rules"))
    }

    init(_ fields: FieldReader) throws(PolicyError) {
        try self.init(
            defaultTimezone: try fields.nullable("default_timezone")?.string(),
            checkInTime: try fields.optional("check_in_time")?.timeOfDay() ?? Self.defaultCheckInTime,
            spreadMinutes: try fields.optional("spread_minutes")?.int(0...1440) ?? 0,
            quietHours: Self.quietHours(fields),
            quietEndJitterMinutes: try fields.optional("quiet_end_jitter_minutes")?.int(0...240) ?? 0,
            maxStalenessMinutes: try fields.optional("max_staleness_minutes")?.int(1...2880) ?? 240,
            maxPerHour: try fields.nullable("max_per_hour")?.cap(),
            maxPerDay: try fields.nullable("max_per_day")?.cap()
        )
    }

    /// Null means none. An absent key has the default.
    private static func quietHours(_ fields: FieldReader) throws(PolicyError) -> QuietHours? {
        guard let field = fields.optional("quiet_hours") else { return defaultQuietHours }
        guard !field.isNull else { return nil }
        let hours = try field.object()
        return QuietHours(
            start: try hours.required("start", "HH:MM").timeOfDay(),
            end: try hours.required("end", "HH:MM").timeOfDay()
        )
    }
}

/// The caps of a user. Each is the smaller one of the rule and the preference.
struct Caps {
    let perHour: Int64?
    let perDay: Int64?

    init(_ rules: Rules, _ preferences: Preferences) {
        perHour = Self.smaller(rules.maxPerHour, preferences.maxPerHour)
        perDay = Self.smaller(rules.maxPerDay, preferences.maxPerDay)
    }

    private static func smaller(_ left: Int64?, _ right: Int64?) -> Int64? {
        guard let left else { return right }
        return right.map { min(left, $0) } ?? left
    }

    /// The earliest instant from `now` on at which both caps allow one more send.
    func free(from now: Instant, _ sent: [Instant]) -> Instant {
        max(
            Self.free(from: now, sent, limit: perHour, window: 3600),
            Self.free(from: now, sent, limit: perDay, window: 86_400)
        )
    }

    private static func free(from now: Instant, _ sent: [Instant], limit: Int64?, window: Int64) -> Instant {
        guard let limit, limit <= sent.count else { return now }
        guard count(sent, window: window, now: now) >= limit else { return now }
        // A send is allowed at t exactly if the n-th latest send is not after t - w.
        let horizon = now + History.horizon
        let latest = sent.filter { $0 > now - window && $0 <= horizon }.sorted(by: >)
        return latest[Int(limit) - 1] + window
    }

    /// Sends in the window that ends at `now`. Sends in the future count, except those more than 48 h ahead.
    static func count(_ sent: [Instant], window: Int64, now: Instant) -> Int {
        let (start, horizon) = (now - window, now + History.horizon)
        var count = 0
        for instant in sent where instant > start && instant <= horizon { count += 1 }
        return count
    }
}
