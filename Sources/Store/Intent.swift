public import FoundationEssentials
public import TimeZones

/// A chunk of pushes that is about to be written: durable before the first byte.
public struct Intent: Sendable {
    /// A user with the history that holds the nudge as unknown.
    public struct Entry: Sendable {
        public let update: PersonUpdate
        public let devices: [Target]

        public init(update: PersonUpdate, devices: [Target]) {
            self.update = update
            self.devices = devices
        }
    }

    /// A device that the nudge goes to.
    public struct Target: Sendable {
        public let kind: String
        public let key: String
        public let slot: LocalDate?
        public let deviceHash: String
        public let apnsID: UUID

        public init(kind: String, key: String, slot: LocalDate?, deviceHash: String, apnsID: UUID) {
            self.kind = kind
            self.key = key
            self.slot = slot
            self.deviceHash = deviceHash
            self.apnsID = apnsID
        }
    }

    public let leaseID: UUID
    /// Counts the chunks of a lease.
    public let number: Int32
    public let sweepID: UUID
    public let attemptedAt: Instant
    public let entries: [Entry]

    public init(leaseID: UUID, number: Int32, sweepID: UUID, attemptedAt: Instant, entries: [Entry]) {
        self.leaseID = leaseID
        self.number = number
        self.sweepID = sweepID
        self.attemptedAt = attemptedAt
        self.entries = entries
    }
}
