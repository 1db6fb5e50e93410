public import NudgedKit

/// The operator's rules; each default is the one of docs/POLICY.md.
public struct Rules: Sendable, Equatable {
    /// Zone for users who have none that is valid; default none.
    public let defaultTimezone: String?
    /// Local wall time of the slot for users who chose none; default 10:00.
    public let checkInTime: TimeOfDay
    /// The slots of users who chose no time are spread over so many minutes, 0 to 1440; default 0.
    public let spreadMinutes: Int
    /// Quiet hours for users who set none; nil = none; default 22:00 to 08:00.
    public let quietHours: QuietHours?
    /// Sends that wait for the end of quiet hours are spread over so many minutes, 0 to 240; default 0.
    public let quietEndJitterMinutes: Int
    /// How late a check-in may still be sent, 1 to 2880 minutes; default 240.
    public let maxStalenessMinutes: Int
    /// Sends in 3,600 s, all kinds together, 1 or more; default no limit.
    public let maxPerHour: Int64?
    /// Sends in 86,400 s, all kinds together, 1 or more; default no limit.
    public let maxPerDay: Int64?

    /// The defaults.
    public static let defaults = Rules()

    /// 22:00 to 08:00.
    public static let defaultQuietHours = QuietHours(start: TimeOfDay(hour: 22), end: TimeOfDay(hour: 8))
    /// 10:00
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

    /// Rules whose every value is in its range; throws `outOfRange` with the field's name in docs/POLICY.md.
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
