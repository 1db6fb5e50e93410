import FoundationEssentials
import Policy
import Postgres
import TimeZones

/// Puts claimed users together from the answers of a claim: their rows, their profiles, their devices, their messages, their reminders.
struct ClaimedParts {
    /// A user whose row holds what can't be read (a hand has been in it).
    struct Unreadable: Error {
        let userID: UUID
    }

    private let people: Rows
    private let recipients: Rows
    /// Rows of `recipients` by user; of several the first.
    private var recipientRow: [UUID: Int] = [:]
    private var devicesOf: [UUID: [Device]] = [:]
    private var messagesOf: [UUID: [PendingMessage]] = [:]
    /// How many wait, where not all were read.
    private var pendingOf: [UUID: Int64] = [:]
    private let remindersOf: [UUID: PendingReminders]

    init(
        people: Rows,
        recipients: Rows,
        devices: Rows,
        messages: Rows,
        reminders: [UUID: PendingReminders]
    ) throws(PostgresError) {
        self.people = people
        self.recipients = recipients
        remindersOf = reminders
        recipientRow.reserveCapacity(people.count)
        devicesOf.reserveCapacity(people.count)
        for row in 0..<recipients.count {
            let user = try recipients.uuid(row, 0)
            if recipientRow[user] == nil { recipientRow[user] = row }
        }
        for row in 0..<devices.count {
            guard let token = try devices.textOrNull(row, 1) else { continue }
            devicesOf[try devices.uuid(row, 0), default: []].append(
                Device(
                    token: token,
                    registration: try devices.timestampOrNull(row, 2),
                    environment: try devices.textOrNull(row, 3),
                    topic: try devices.textOrNull(row, 4)
                )
            )
        }
        for row in 0..<messages.count {
            let user = try messages.uuid(row, 0)
            messagesOf[user, default: []].append(try PendingMessage(messages, row))
            if messages.columnCount > PendingMessage.columns {
                pendingOf[user] = try messages.int8(row, PendingMessage.columns)
            }
        }
    }

    /// Everyone whose row is ours now.
    func users() throws(PostgresError) -> [Result<ClaimedUser, Unreadable>] {
        var all: [Result<ClaimedUser, Unreadable>] = []
        all.reserveCapacity(people.count)
        for row in 0..<people.count {
            let id = try people.uuid(row, 0)
            do throws(PostgresError) {
                all.append(.success(try user(id, row)))
            } catch {
                all.append(.failure(Unreadable(userID: id)))
            }
        }
        return all
    }

    /// Somebody whose row the next drain makes; nil where the app has nothing of them.
    func newcomer(_ id: UUID, dueAt: Int64) throws(PostgresError) -> ClaimedUser? {
        let isKnown = recipientRow[id] != nil || devicesOf[id] != nil || messagesOf[id] != nil || remindersOf[id] != nil
        guard isKnown else { return nil }
        // One less than the drain's version, which is the first.
        return try user(id, version: 0, dueAt: dueAt)
    }

    private func user(_ id: UUID, _ row: Int) throws(PostgresError) -> ClaimedUser {
        try user(
            id,
            version: try people.int8(row, 1),
            dueAt: try people.timestamp(row, 2),
            touchedAt: Instant(microseconds: try people.timestampOrNull(row, 3)),
            since: Instant(microseconds: try people.timestampOrNull(row, 4)),
            fingerprint: try people.int8OrNull(row, 5),
            askedAt: Instant(microseconds: try people.timestampOrNull(row, 6)),
            history: try ClaimedUser.history(people, row),
            retry: try people.textOrNull(row, 11),
            quarantine: try people.textOrNull(row, 12),
            template: try people.int4OrNull(row, 13)
        )
    }

    /// Their own row's part, and what the app has of them.
    private func user(
        _ id: UUID,
        version: Int64,
        dueAt: Int64,
        touchedAt: Instant? = nil,
        since: Instant? = nil,
        fingerprint: Int64? = nil,
        askedAt: Instant? = nil,
        history: History = History(),
        retry: String? = nil,
        quarantine: String? = nil,
        template: Int32? = nil
    ) throws(PostgresError) -> ClaimedUser {
        let recipient = recipientRow[id]
        func text(_ column: Int) throws(PostgresError) -> String? {
            guard let recipient else { return nil }
            return try recipients.textOrNull(recipient, column)
        }
        return ClaimedUser(
            userID: id,
            version: version,
            dueAt: dueAt,
            touchedAt: touchedAt,
            since: since,
            fingerprint: fingerprint,
            askedAt: askedAt,
            history: history,
            retry: retry,
            quarantine: quarantine,
            template: template,
            preferences: try text(1),
            timezone: try text(2),
            firstSessionComplete: try recipient.map { (place) throws(PostgresError) in
                try recipients.boolOrNull(place, 3) ?? false
            } ?? false,
            context: try text(4),
            devices: devices(of: id),
            messages: messagesOf[id] ?? [],
            hasMoreMessages: Int64(messagesOf[id]?.count ?? 0) < pendingOf[id] ?? 0,
            reminders: remindersOf[id] ?? PendingReminders()
        )
    }

    /// In no order of the database's, so that a nudge's devices are the same each time.
    private func devices(of user: UUID) -> [Device] {
        guard let found = devicesOf[user] else { return [] }
        return found.count > 1 ? found.sorted { $0.token < $1.token } : found
    }
}
