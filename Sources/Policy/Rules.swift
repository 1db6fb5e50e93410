public import NudgedPreferences

/// The operator's rules. Defaults and ranges are those of docs/POLICY.md, "Input".
public struct Rules: Sendable, Equatable {
    /// The zone of users who have no valid zone. Default: none.
    public let defaultTimezone: String?
    /// The local time of the slot, for users who chose no time. Default: 10:00.
    public let checkInTime: TimeOfDay
    /// The window of the slot jitter in minutes, for users who chose no time. 0 to 1440, default 0.
    public let spreadMinutes: Int
    /// The quiet hours of users who set none. nil: none. Default: 22:00 to 08:00.
    public let quietHours: QuietHours?
    /// The window of the quiet jitter in minutes, for sends that wait for the end of quiet hours. 0 to 240, default 0.
    public let quietEndJitterMinutes: Int
    /// How many minutes late a check-in may still be sent. 1 to 2880, default 240.
    public let maxStalenessMinutes: Int
    /// The most sends in any 3,600 s, all kinds together. 1 or more. nil: no limit (the default).
    public let maxPerHour: Int64?
    /// The most sends in any 86,400 s, all kinds together. 1 or more. nil: no limit (the default).
    public let maxPerDay: Int64?

    /// All rules at their defaults.
    public static let defaults = Rules()

    /// 22:00 to 08:00.
    public static let defaultQuietHours = QuietHours(start: TimeOfDay(hour: 22), end: TimeOfDay(hour: 8))
    /// 10:00.
    public static let defaultCheckInTime = TimeOfDay(hour: 10)

    private init() {
        defaultTimezone = nil
        checkInTime = Self.defaultCheckInTime
        spreadMinutes = 0
        quietHours = Self.defaultQuietHours
        quietEndJitterMinutes = 0
        maxStalenessMinutes = 240
        maxPerHour = nil
        maxPerDay = nil
    }

    /// Creates rules.
    ///
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
