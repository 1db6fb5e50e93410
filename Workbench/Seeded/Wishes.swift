/// Valid preferences, before they become JSON.
package struct Wishes: Sendable, Equatable {
    package var isEnabled = true
    package var frequency = "daily"
    /// Minutes of the day; nil if not chosen.
    package var checkInTime: Int?
    package var night: Night?
    package var timezone: String?
    /// 1 (Monday) to 7.
    package var weekday: Int?
    package var maxPerHour: Int?
    package var maxPerDay: Int?

    package init() {}

    /// The column's value. Zone names are ASCII without quotes, so nothing needs escaping.
    package var json: String {
        var members = [#""check_ins_enabled":\#(isEnabled)"#, #""frequency":"\#(frequency)""#]
        if let checkInTime { members.append(#""check_in_time":"\#(Night.clock(checkInTime))""#) }
        if let night {
            members.append(#""quiet_hours_start":"\#(Night.clock(night.start))""#)
            members.append(#""quiet_hours_end":"\#(Night.clock(night.end))""#)
        }
        if let timezone { members.append(#""timezone":"\#(timezone)""#) }
        if let weekday { members.append(#""weekday":\#(weekday)"#) }
        if let maxPerHour { members.append(#""max_per_hour":\#(maxPerHour)"#) }
        if let maxPerDay { members.append(#""max_per_day":\#(maxPerDay)"#) }
        return "{\(members.joined(separator: ","))}"
    }
}
