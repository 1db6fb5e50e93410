/// How many accepted pushes came alike, by their users' clocks.
public struct HourCount: Sendable, Equatable {
    /// How long after its time a check-in came.
    public enum Lateness: Int32, Sendable, CaseIterable {
        case early = -1
        case withinOneMinute, withinFiveMinutes, withinAQuarter, withinAnHour, withinFourHours, later
    }

    /// 0 to 23; nil: the user has no zone that is valid, or is gone.
    public var hour: Int?
    /// `check_in`, `message`, `reminder`, or `other`.
    public var kind: String
    /// The quiet hours in force are the user's own; else the rules'.
    public var hasOwnQuietHours: Bool
    /// They came within those.
    public var isQuiet: Bool
    /// nil: not a check-in, or its time can't be told.
    public var lateness: Lateness?
    /// Rows.
    public var count: Int

    /// All parts.
    public init(
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
