/// Valid preferences, before they become JSON.
struct Wishes: Sendable, Equatable {
    var isEnabled = true
    /// `daily`, `few_times_a_week`, `weekly`.
    var frequency = "daily"
    /// Minutes of the day; nil if not chosen.
    var checkInTime: Int?
    /// nil if not chosen; then the default applies.
    var night: Night?
    var timezone: String?
    /// 1 (Monday) to 7.
    var weekday: Int?
    var maxPerDay: Int?

    /// The column's value. Zone names are ASCII without quotes, so nothing needs escaping.
    var json: String {
        var members = [#""check_ins_enabled":\#(isEnabled)"#, #""frequency":"\#(frequency)""#]
        if let checkInTime { members.append(#""check_in_time":"\#(Self.wallTime(checkInTime))""#) }
        if let night {
            members.append(#""quiet_hours_start":"\#(Self.wallTime(night.start))""#)
            members.append(#""quiet_hours_end":"\#(Self.wallTime(night.end))""#)
        }
        if let timezone { members.append(#""timezone":"\#(timezone)""#) }
        if let weekday { members.append(#""weekday":\#(weekday)"#) }
        if let maxPerDay { members.append(#""max_per_day":\#(maxPerDay)"#) }
        return "{\(members.joined(separator: ","))}"
    }

    /// As `HH:MM`.
    static func wallTime(_ minute: Int) -> String {
        "\(Columns.twoDigits(minute / 60)):\(Columns.twoDigits(minute % 60))"
    }
}
