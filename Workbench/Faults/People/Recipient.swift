/// One user as the app's tables hold them, and what was sent to them before the run.
public struct Recipient: Sendable, Equatable {
    /// Quiet hours as two local times in minutes after midnight; equal: none.
    public struct Quiet: Sendable, Equatable {
        /// The first quiet minute.
        public var start: Int
        /// The first that is not.
        public var end: Int

        /// All parts.
        public init(start: Int, end: Int) {
            self.start = start
            self.end = end
        }

        /// Whether a wall clock that shows this minute is in them.
        public func holds(_ minute: Int) -> Bool {
            if start == end { return false }
            return start < end ? (start..<end).contains(minute) : minute >= start || minute < end
        }
    }

    /// A check-in of before the run.
    public struct Past: Sendable, Equatable {
        /// Seconds since 1970.
        public var at: Int64
        /// Its local date, `YYYY-MM-DD`.
        public var slot: String
    }

    /// A UUID in lower case.
    public var id: String
    /// `notification_preferences` as JSON text; nil: NULL.
    public var preferences: String?
    /// The profile's own zone.
    public var timezone: String?
    /// `first_session_complete`
    public var firstSession = true
    /// Rows of `push_tokens`.
    public var devices: [Addressee] = []
    /// Sends before the run that caps count, check-ins included: seconds since 1970.
    public var sent: [Int64] = []
    /// Check-ins before the run.
    public var checkIns: [Past] = []

    // What the drawn preferences mean, as PostgreSQL is asked about it. Known since we drew them: nothing here parses JSON.

    /// The zone in which this user's wall clock is read; nil: they have none.
    public var zone: String?
    /// In force for this user.
    public var quiet: Quiet?
    /// The most nudges in 3,600 s.
    public var maxPerHour: Int?
    /// The most nudges in 86,400 s.
    public var maxPerDay: Int?

    /// Nobody in particular.
    public init(id: String) {
        self.id = id
    }

    /// The devices that the daemon serves.
    public var served: [Addressee] { devices.filter { $0.platform == "ios" } }
    /// When check-ins became possible, as far as the data says.
    public var since: Int64? { served.map(\.registeredAt).min() }
}
