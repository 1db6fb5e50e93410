import Postgres
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
    package enum Lateness: Int32, Sendable, CaseIterable, ColumnValue {
        case early = -1
        case withinOneMinute, withinFiveMinutes, withinAQuarter, withinAnHour, withinFourHours, later
    }

    /// The local hour, 0 to 23; nil: the user had no valid zone.
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
    package enum Size: Int32, Sendable, CaseIterable, ColumnValue {
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
    package var unknown: Int = 0
    /// `dropped` or `skipped`.
    package var unsent: Int = 0
}

/// Nudges that are alike, and what users did with them.
package struct OpenCount: Sendable, Equatable {
    package enum Part: String, Sendable, CaseIterable, ColumnValue {
        case template, hour, weekday
    }

    /// `check_in`, `message` or `reminder`.
    package var kind: String
    /// nil: all nudges of the kind.
    package var part: Part?
    /// The template's id, the user's local hour (0 to 23) or local day (1, Monday, to 7).
    package var value = 0
    package var sent: Int
    /// Who got them.
    package var users: Int
    package var opened: Int
    /// How many have feedback.
    package var rated: Int = 0
    /// Who gave it.
    package var raters: Int = 0
    package var helpful: Int = 0
}

/// Users whose check-ins were due, and how many of them the app saw lately.
package struct SeenCount: Sendable, Equatable {
    package var users: Int
    package var seen: Int
}
