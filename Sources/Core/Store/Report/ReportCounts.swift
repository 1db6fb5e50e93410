package import TimeZones

/// How many rows of the record are alike, in one stretch of time.
package struct DeliveryCount: Sendable, Equatable {
    /// The number of the stretch: it begins that many stretches after 1970.
    package var stretch: Int64
    /// `check_in`, `message`, `reminder`, or `other`.
    package var kind: String
    package var outcome: DeliveryRecord.Outcome
    /// Apple's reason, or nudged's; empty: none; `other`: one that is not shown.
    package var reason: String = ""
    /// Apple answered 410: the token was deleted, unless the device had registered again.
    package var isGone: Bool = false
    package var count: Int
}

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

/// Users with at least one accepted push.
package struct PeopleReached: Sendable, Equatable {
    /// By any kind of nudge. A user counts once.
    package var all: Int = 0
    /// By `check_in`, `message`, `reminder`, or `other`. A user counts in each kind that they got. A kind that reached
    /// nobody is missing.
    package var byKind: [String: Int] = [:]
}

/// Sweeps of a similar size, or a single sweep.
package struct SweepCount: Sendable, Equatable {
    package enum Size: Int32, Sendable, CaseIterable {
        case fewerThan5, fewerThan50, fewerThan500, fewerThan5000, more
    }

    /// The first attempt of a single sweep; nil: all sweeps of this size.
    package var began: Instant?
    package var size: Size
    package var sweeps: Int
    package var records: Int
    /// From the first attempt to the last; of several sweeps the longest.
    package var seconds: Int64
    /// Rows of a single sweep that say `accepted`. This and the three below are 0 for several sweeps.
    package var accepted: Int = 0
    /// `rejected` or `deferred`.
    package var refused: Int = 0
    /// `unknown`.
    package var unknown: Int = 0
    /// `dropped` or `skipped`.
    package var unsent: Int = 0
}

/// A stretch of time in which a zone has one offset. With these, the database counts local hours without its own zone
/// files.
package struct ZoneOffset: Sendable, Equatable {
    package var name: String
    package var from: Instant
    /// The first instant after it.
    package var until: Instant
    /// Seconds east of UTC.
    package var seconds: Int32

    package init(name: String, from: Instant, until: Instant, seconds: Int32) {
        self.name = name
        self.from = from
        self.until = until
        self.seconds = seconds
    }
}
