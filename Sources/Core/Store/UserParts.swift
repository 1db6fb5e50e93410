import Policy
import Postgres
import TimeZones

import struct FoundationEssentials.UUID

/// Users with their data outside nudged.person, the app's and nudged's: profiles, devices, messages, reminders.
///
/// Each read is bounded. The first statements are cheap and have one limit for all users. If that is reached, some user
/// has unusually many rows, and another statement reads them with a limit for each user.
struct UserParts {
    /// Runs statements in one flight.
    typealias Ask = (_ statements: [Statement]) async throws(PostgresError) -> [Rows]

    /// If a batch has too many rows, each user has at most so many. Of devices, the newest hundred count.
    private static let messagesAUser: Int64 = 2_000
    private static let remindersAUser = 200
    private static let lookedAt: Int64 = 1_000
    /// A user has at most a hundred (`nudged.write_surface`), or some more if calls overlap.
    private static let surfacesAUser: Int64 = 200
    /// Most bytes of preferences and contexts in a batch.
    static let profileBytes: Int64 = 8 << 20
    /// Most rows of profiles: a view of the app can have many for one user.
    static func profiles(of users: Int) -> Int64 { Int64(2 * users + 100) }

    private struct User {
        var values: ClaimedUser.Values
        /// The row of `Query.claimProfiles`.
        var profile: Int?
        /// Several rows in the view say different things. Nobody knows which one counts.
        var isContradicted = false
    }

    private var users: [User]
    private let places: [UUID: Int]
    /// Bytes of preferences and contexts.
    let bytes: Int64

    /// Reads what can be due until an instant (microseconds since 1970), and up to so many bytes of preferences and
    /// contexts. Returns nil if several users have more bytes or rows: then the caller must ask for fewer users.
    static func read(
        _ users: [ClaimedUser.Values],
        until: Int64,
        bytes: Int64,
        isDistributed: Bool,
        ask: Ask
    ) async throws(PostgresError) -> UserParts? {
        let (count, all) = (Int64(users.count), Parameter.uuidArray(users.map(\.userID)))
        let (profiles, devices) = (Self.profiles(of: users.count), 4 * count + 100)
        let (messages, reminders) = (2 * count + 2_000, 4 * count + 1_000)
        var rows = try await ask([
            Query.claimProfiles([all, .int8(count > 1 ? bytes : .max), .int8(profiles)]),
            Query.claimDevices([all, .int8(devices)]), Query.claimMessages([all, .int8(messages)]),
            Query.claimReminders([all, .int8(reminders)]), Query.claimSeen([all]),
        ])
        let size = rows[0].count > 0 ? try rows[0].int8(0, 5) : 0
        if count > 1, size > bytes || rows[0].count >= profiles { return nil }

        // Only if some user has unusually many rows.
        var more: [(place: Int, statement: Statement)] = []
        if rows[1].count >= devices {
            let query = isDistributed ? Query.claimDevicesDistributed : .claimDevicesBounded
            more.append((1, query([all, .int8(lookedAt)])))
        }
        // A message for a surface has options. It may be one of those that were not read yet.
        var hasOptions = rows[2].count >= messages
        if hasOptions {
            let query = isDistributed ? Query.claimMessagesDistributed : .claimMessagesBounded
            more.append((2, query([all, .int8(messages), .int8(messagesAUser), .timestamp(until)])))
        }
        if rows[3].count >= reminders {
            let query = isDistributed ? Query.claimRemindersDistributed : .claimRemindersBounded
            let bounds = [Int64(remindersAUser), lookedAt, reminders].map(Parameter.int8)
            more.append((3, query([all, .timestamp(until)] + bounds)))
        }
        for row in 0..<rows[2].count where try !rows[2].isNull(row, PendingMessage.apnsColumn) {
            hasOptions = true
            break
        }
        if hasOptions { more.append((rows.count, Query.claimSurfaces([all, .int8(surfacesAUser)]))) }
        let second = more.isEmpty ? [] : try await ask(more.map(\.statement))
        for (one, answer) in zip(more, second) where one.place < rows.count { rows[one.place] = answer }
        var parts = try UserParts(users, rows, bytes: size, until: until)
        if hasOptions, let surfaces = second.last {
            try parts.each(surfaces) { row, user throws(PostgresError) in
                guard let device = try Device(surfaces, row, from: 2) else { return }
                user.values.surfaces[try surfaces.text(row, 1), default: []].append(device)
            }
        }
        try await parts.add(rows[3], until: until, ask: ask)
        return parts
    }

    /// - Parameter rows: profiles, devices, messages, reminders, and when the app saw the users.
    private init(_ users: [ClaimedUser.Values], _ rows: [Rows], bytes: Int64, until: Int64) throws(PostgresError) {
        let (profiles, devices, messages, seen) = (rows[0], rows[1], rows[2], rows[4])
        self.users = users.map { User(values: $0) }
        places = Dictionary(zip(users.map(\.userID), users.indices), uniquingKeysWith: { first, _ in first })
        self.bytes = bytes
        try each(profiles) { row, user throws(PostgresError) in
            if let first = user.profile {
                if try !Self.areAlike(profiles, first, row) { user.isContradicted = true }
                return
            }
            user.profile = row
            user.values.preferences = try profiles.textOrNull(row, 1)
            user.values.timezone = try profiles.textOrNull(row, 2)
            user.values.firstSessionComplete = try profiles.boolOrNull(row, 3) ?? false
            user.values.context = try profiles.textOrNull(row, 4)
        }
        try each(seen) { row, user throws(PostgresError) in
            user.values.seen = Instant(microseconds: try seen.timestamp(row, 1))
        }
        try each(devices) { row, user throws(PostgresError) in
            if let device = try Device(devices, row, from: 1) { user.values.devices.append(device) }
        }
        // In a fixed order, so that a nudge's devices are the same each time.
        for place in self.users.indices where self.users[place].values.devices.count > 1 {
            self.users[place].values.devices.sort { $0.token < $1.token }
        }
        try each(messages) { row, user throws(PostgresError) in
            let message = try PendingMessage(messages, row)
            // Like a reminder that can't be due yet: another one may be due before it, so its own zone doesn't count.
            if let wakesAt = message.wakesAt, wakesAt.microseconds > until {
                user.values.messagesWakeAt = min(user.values.messagesWakeAt ?? wakesAt, wakesAt)
            } else {
                user.values.messages.append(message)
            }
            // If not all messages were read, the column counts those that can be due.
            guard messages.columnCount > PendingMessage.columns else { return }
            let pending = try messages.int8(row, PendingMessage.columns)
            user.values.hasMoreMessages = Int64(user.values.messages.count) < pending
        }
    }

    /// Reads each row into its user.
    private mutating func each(
        _ rows: Rows,
        _ read: (_ row: Int, _ user: inout User) throws(PostgresError) -> Void
    ) throws(PostgresError) {
        for row in 0..<rows.count {
            if let place = places[try rows.uuid(row, 0)] { try read(row, &users[place]) }
        }
    }

    private static func areAlike(_ profiles: Rows, _ one: Int, _ other: Int) throws(PostgresError) -> Bool {
        for column in [1, 2, 4] {
            let (first, second) = (try profiles.textOrNull(one, column), try profiles.textOrNull(other, column))
            guard first.map({ Array($0.utf8) }) == second.map({ Array($0.utf8) }) else { return false }
        }
        return try profiles.boolOrNull(one, 3) == profiles.boolOrNull(other, 3)
    }

    /// Adds each user's reminders. Whether they still exist is read only if there are any.
    private mutating func add(_ rows: Rows, until: Int64, ask: Ask) async throws(PostgresError) {
        var found: [(place: Int, reminder: PendingReminder)] = []
        for row in 0..<rows.count where try !rows.bool(row, PendingReminder.columns) {
            guard let place = places[try rows.uuid(row, 0)] else { continue }
            found.append((place, try PendingReminder(rows, row)))
        }
        guard !found.isEmpty else { return }
        let (authors, ids) = (found.map(\.reminder.authorID), found.map(\.reminder.reminderID))
        let live = try await ask([Query.liveReminders([.uuidArray(authors), .uuidArray(ids)])])
        let living = try live.first?.uuidSet() ?? []
        for (place, var reminder) in found.sorted(by: { $0.reminder.wakesAt < $1.reminder.wakesAt }) {
            reminder.isCancelled = !living.contains(reminder.reminderID)
            users[place].values.reminders.add(reminder, until: until, limit: Self.remindersAUser)
        }
    }

    func hasProfile(_ place: Int) -> Bool { users[place].profile != nil }

    /// Whether the app or nudged has any data about the user outside nudged.person.
    func isKnown(_ place: Int) -> Bool {
        let user = users[place].values
        return hasProfile(place) || !user.devices.isEmpty || !user.messages.isEmpty || user.messagesWakeAt != nil
            || !user.reminders.isEmpty
    }

    func user(_ place: Int) throws(PostgresError) -> ClaimedUser {
        guard users[place].isContradicted else { return ClaimedUser(users[place].values) }
        let (name, detail) = (Query.claimProfiles.name, "several rows of one user say different things")
        throw PostgresError(.unexpectedResult, statement: name, object: "nudged.recipient", detail: detail)
    }
}
