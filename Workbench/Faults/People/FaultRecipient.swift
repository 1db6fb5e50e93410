/// One user as in the app's tables, and what was sent to them before the run.
public struct FaultRecipient: Sendable, Equatable {
    /// Quiet hours as two local times in minutes after midnight. Equal means none.
    public struct Quiet: Sendable, Equatable {
        /// The first quiet minute.
        public var start: Int
        /// The first minute after them.
        public var end: Int

        /// Quiet hours from `start` to `end`.
        public init(start: Int, end: Int) {
            self.start = start
            self.end = end
        }

        /// Whether this local minute is quiet.
        public func holds(_ minute: Int) -> Bool {
            if start == end { return false }
            return start < end ? (start..<end).contains(minute) : minute >= start || minute < end
        }
    }

    /// A check-in before the run.
    public struct Past: Sendable, Equatable {
        /// Seconds since 1970.
        public var at: Int64
        /// Its local date, `YYYY-MM-DD`.
        public var slot: String
    }

    /// A UUID in lower case.
    public var id: String
    /// `notification_preferences` as JSON text; nil for NULL.
    public var preferences: String?
    /// The profile's zone.
    public var timezone: String?
    /// `first_session_complete`.
    public var firstSession = true
    /// Rows of `push_tokens`.
    public var devices: [Addressee] = []
    /// Sends before the run that count for limits, including check-ins: seconds since 1970.
    public var sent: [Int64] = []
    /// Check-ins before the run.
    public var checkIns: [Past] = []

    // What the preferences mean. We know it because we made them, so nothing here parses JSON.

    /// The zone that applies; nil if there is none.
    public var zone: String?
    /// The quiet hours that apply.
    public var quiet: Quiet?
    /// The most nudges in 3,600 s.
    public var maxPerHour: Int?
    /// The most nudges in 86,400 s.
    public var maxPerDay: Int?

    /// A user without preferences and devices.
    public init(id: String) {
        self.id = id
    }

    /// The devices that nudged pushes to.
    public var served: [Addressee] { devices.filter { $0.platform == "ios" } }
    /// When check-ins became possible, by the oldest registration.
    public var since: Int64? { served.map(\.registeredAt).min() }
}
