public import NudgedPreferences
import TimeZones

/// The operator's rules. Defaults and ranges are those of docs/POLICY-SPEC.md, "Input". The configuration has other
/// defaults for the two jitters.
public struct Rules: Sendable, Equatable {
    /// The zone of users who have no valid zone. Default: none.
    public package(set) var defaultTimezone: String?
    /// The local time of the slot, for users who chose no time. Default: 10:00.
    public package(set) var checkInTime = Self.defaultCheckInTime
    /// The window of the slot jitter in minutes, for users who chose no time. 0 to 1440, default 0.
    public package(set) var spreadMinutes = 0
    /// The quiet hours of users who set none. nil: none. Default: 22:00 to 08:00.
    public package(set) var quietHours: QuietHours? = Self.defaultQuietHours
    /// The window of the quiet jitter in minutes, for sends that wait for the end of quiet hours. 0 to 240, default 0.
    public package(set) var quietEndJitterMinutes = 0
    /// How many minutes late a check-in may still be sent. 1 to 2880, default 240.
    public package(set) var maxStalenessMinutes = 240
    /// The most sends in any 3,600 s, all kinds together. 1 or more. nil: no limit (the default).
    public package(set) var maxPerHour: Int64?
    /// The most sends in any 86,400 s, all kinds together. 1 or more. nil: no limit (the default).
    public package(set) var maxPerDay: Int64?
    /// A user whom the app saw in the last so many minutes gets no check-in. 1 to 1440. nil: off (the default).
    public package(set) var skipIfActiveMinutes: Int64?
    /// After so many ignored check-ins, and again after as many, they come less often. 2 to 50. nil: off (the default).
    public package(set) var backOffAfter: Int64?

    /// Of a hundred users, so many get no check-ins, to be compared with the others. 1 to 50. nil: off (the default).
    public package(set) var holdoutPercent: Int64?

    public static let defaults = Rules()

    public static let defaultQuietHours = QuietHours(start: TimeOfDay(hour: 22), end: TimeOfDay(hour: 8))
    public static let defaultCheckInTime = TimeOfDay(hour: 10)

    /// - Parameter set: sets rules. Who reads them from outside checks their ranges.
    package init(_ set: (inout Rules) -> Void = { _ in }) { set(&self) }

    /// Reads the object `rules` of docs/POLICY-SPEC.md, "Input". Absent keys have the default. Unknown keys are
    /// ignored.
    init(_ fields: Field) throws(PolicyError) {
        self.init()
        defaultTimezone = try fields.nullable("default_timezone")?.string()
        checkInTime = try fields.optional("check_in_time")?.timeOfDay() ?? checkInTime
        spreadMinutes = try fields.optional("spread_minutes")?.int(0...1440) ?? spreadMinutes
        quietHours = try Self.quietHours(fields)
        quietEndJitterMinutes = try fields.optional("quiet_end_jitter_minutes")?.int(0...240) ?? quietEndJitterMinutes
        maxStalenessMinutes = try fields.optional("max_staleness_minutes")?.int(1...2880) ?? maxStalenessMinutes
        maxPerHour = try fields.nullable("max_per_hour")?.limit()
        maxPerDay = try fields.nullable("max_per_day")?.limit()
        skipIfActiveMinutes = try fields.nullable("skip_if_active_minutes")?.limit(1...1440)
        backOffAfter = try fields.nullable("back_off_after")?.limit(2...50)
        holdoutPercent = try fields.nullable("holdout_percent")?.limit(1...50)
    }

    /// Null means none. An absent key has the default.
    private static func quietHours(_ fields: Field) throws(PolicyError) -> QuietHours? {
        guard let field = fields.optional("quiet_hours") else { return defaultQuietHours }
        guard !field.isNull else { return nil }
        let hours = try field.object()
        let start = try hours.required("start", "HH:MM").timeOfDay()
        return QuietHours(start: start, end: try hours.required("end", "HH:MM").timeOfDay())
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

    private static func smaller(_ one: Int64?, _ other: Int64?) -> Int64? { one.map { min($0, other ?? $0) } ?? other }

    /// The earliest instant from `now` on at which both caps allow one more send.
    func free(from now: Instant, _ sent: [Instant]) -> Instant {
        func free(_ limit: Int64?, window: Int64) -> Instant {
            guard let limit, limit <= sent.count else { return now }
            guard Self.count(sent, window: window, now: now) >= limit else { return now }
            // A send is allowed at t exactly if the n-th latest send is not after t - w.
            let horizon = now + History.horizon
            let latest = sent.filter { $0 > now - window && $0 <= horizon }.sorted(by: >)
            return latest[Int(limit) - 1] + window
        }
        return max(free(perHour, window: 3600), free(perDay, window: 86_400))
    }

    /// Sends in the window that ends at `now`. Sends in the future count, except those more than 48 h ahead.
    static func count(_ sent: [Instant], window: Int64, now: Instant) -> Int {
        let (start, horizon) = (now - window, now + History.horizon)
        return sent.count { $0 > start && $0 <= horizon }
    }
}
