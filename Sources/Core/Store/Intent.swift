package import FoundationEssentials
import Postgres
package import TimeZones

/// A slice of pushes that are about to be written. It is durable before the first byte.
package struct Intent: Sendable {
    /// A user, and what their row gets if the daemon dies now.
    package struct Entry: Sendable {
        package let userID: UUID
        /// The version that was decided on.
        package let version: Int64
        /// What is left of the user's nudges beside these devices, and what is to be repeated, as JSON; or nil.
        package let retry: String?
        /// The devices, nudge by nudge.
        package let devices: [Target]

        package init(userID: UUID, version: Int64, retry: String?, devices: [Target]) {
            self.userID = userID
            self.version = version
            self.retry = retry
            self.devices = devices
        }
    }

    /// A device of a nudge.
    package struct Target: Sendable {
        /// `check_in`, `message` or `reminder`.
        package let kind: String
        /// Identifies the nudge for its user and kind.
        package let key: String
        /// The check-in's local date.
        package let slot: LocalDate?
        /// 16 hex digits of the token's hash.
        package let deviceHash: String
        package let apnsID: UUID
        /// The number of the nudge among the user's, from 0. Messages of one digest share it.
        package let nudge: Int16
        /// Whether the user's history holds the nudge already, since another device was answered.
        package let isCounted: Bool
        /// Whether the message or reminder ends with this attempt, even if its outcome is unknown.
        package let ends: Bool
        /// The template; nil: none.
        package let template: Int32?

        package init(
            kind: String,
            key: String,
            slot: LocalDate?,
            deviceHash: String,
            apnsID: UUID,
            nudge: Int16 = 0,
            isCounted: Bool = false,
            ends: Bool = false,
            template: Int32? = nil
        ) {
            self.kind = kind
            self.key = key
            self.slot = slot
            self.deviceHash = deviceHash
            self.apnsID = apnsID
            self.nudge = nudge
            self.isCounted = isCounted
            self.ends = ends
            self.template = template
        }
    }

    package let id: UUID
    /// The membership that owns the users' ranges.
    package let member: UUID
    /// The sweep, for the record.
    package let sweepID: UUID
    /// The policy's now.
    package let attemptedAt: Instant
    /// Microseconds to add to `attemptedAt`, 0 to 999,999, from a counter. With them, two attempts in one second are
    /// two rows of the record.
    package let fraction: Int32
    package let entries: [Entry]
    /// What the decisions record beside the pushes.
    package let records: [DeliveryRecord]
    /// The messages and reminders in it. They are locked against cancellation until the commit.
    package let messages: [MessageReference]

    package init(
        id: UUID = UUID.random(),
        member: UUID,
        sweepID: UUID,
        attemptedAt: Instant,
        fraction: Int32 = 0,
        entries: [Entry],
        records: [DeliveryRecord] = [],
        messages: [MessageReference] = []
    ) {
        self.id = id
        self.member = member
        self.sweepID = sweepID
        self.attemptedAt = attemptedAt
        self.fraction = fraction
        self.entries = entries
        self.records = records
        self.messages = messages
    }
}

extension Intent {
    /// For `Query.intent`: parallel lists, filled in one pass. One pass per list would retain and release every device
    /// each time.
    var parameters: [Parameter] {
        let count = entries.reduce(0) { $0 + $1.devices.count }
        var users: [UUID?] = []
        var kinds: [String?] = []
        var keys: [String?] = []
        var slots: [Int32?] = []
        var hashes: [String?] = []
        var apnsIDs: [UUID?] = []
        var retries: [String?] = []
        var counted: [Bool?] = []
        var nudges: [Int16?] = []
        var ends: [Bool?] = []
        var templates: [Int32?] = []
        users.reserveCapacity(count)
        kinds.reserveCapacity(count)
        keys.reserveCapacity(count)
        hashes.reserveCapacity(count)
        apnsIDs.reserveCapacity(count)
        for entry in entries {
            for (place, device) in entry.devices.enumerated() {
                users.append(entry.userID)
                kinds.append(device.kind)
                keys.append(device.key)
                slots.append(device.slot?.days)
                hashes.append(device.deviceHash)
                apnsIDs.append(device.apnsID)
                // Once for each user: it grows with the user's nudges, and so does the number of devices.
                retries.append(place == 0 ? entry.retry : nil)
                counted.append(device.isCounted)
                nudges.append(device.nudge)
                ends.append(device.ends)
                templates.append(device.template)
            }
        }
        return [
            .uuid(id), .uuid(member), .uuid(sweepID), .timestamp(attemptedAt.microseconds &+ Int64(fraction)),
            .uuidArray(entries.map(\.userID)), .int8Array(entries.map(\.version)),
            .uuidArray(users), .textArray(kinds), .textArray(keys), .dateArray(slots), .textArray(hashes),
            .uuidArray(apnsIDs), .textArray(retries), .boolArray(counted), .int2Array(nudges), .boolArray(ends),
            .int4Array(templates), DeliveryRecord.json(records).map { .text($0.asciiJSON) } ?? .null(.text),
        ]
    }
}
