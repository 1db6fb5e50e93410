/// How many accepted pushes are alike, by their users' clocks.
package struct HourCount: Sendable, Equatable {
    /// How long after its time a check-in was sent.
    package enum Lateness: Int32, Sendable, CaseIterable {
        case early = -1
        case withinOneMinute, withinFiveMinutes, withinAQuarter, withinAnHour, withinFourHours, later
    }

    /// The local hour, 0 to 23; nil: the user has no valid zone, or no profile any more.
    package var hour: Int?
    /// `check_in`, `message`, `reminder`, or `other`.
    package var kind: String
    /// The user has quiet hours of their own; else the rules' quiet hours apply.
    package var hasOwnQuietHours: Bool = false
    /// They were sent within the quiet hours.
    package var isQuiet: Bool = false
    /// nil: no check-in, or its time is unknown.
    package var lateness: Lateness?
    package var count: Int
}
