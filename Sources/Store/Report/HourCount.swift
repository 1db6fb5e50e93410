/// How many accepted pushes came alike, by their users' clocks.
package struct HourCount: Sendable, Equatable {
    /// How long after its time a check-in came.
    package enum Lateness: Int32, Sendable, CaseIterable {
        case early = -1
        case withinOneMinute, withinFiveMinutes, withinAQuarter, withinAnHour, withinFourHours, later
    }

    /// 0 to 23; nil: the user has no zone that is valid, or is gone.
    package var hour: Int?
    /// `check_in`, `message`, `reminder`, or `other`.
    package var kind: String
    /// The quiet hours in force are the user's own; else the rules'.
    package var hasOwnQuietHours: Bool
    /// They came within those.
    package var isQuiet: Bool
    /// nil: not a check-in, or its time can't be told.
    package var lateness: Lateness?
    /// Rows.
    package var count: Int

    package init(
        hour: Int?,
        kind: String,
        hasOwnQuietHours: Bool = false,
        isQuiet: Bool = false,
        lateness: Lateness? = nil,
        count: Int
    ) {
        self.hour = hour
        self.kind = kind
        self.hasOwnQuietHours = hasOwnQuietHours
        self.isQuiet = isQuiet
        self.lateness = lateness
        self.count = count
    }
}
