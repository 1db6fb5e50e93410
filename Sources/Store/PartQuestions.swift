import FoundationEssentials
import Postgres

/// What is asked of users beside their rows: their profiles, their devices, their messages, their reminders; for a claim and for whoever reads as one.
struct PartQuestions {
    /// More devices than these in a batch are no people's: then the newest hundred of each count.
    private static let devicesAUser = 4
    private static let devicesAtLeast = 100
    /// More messages than these in a batch are no people's: then so many of each count, and so many in all.
    private static let messagesAUser = 2000
    private static let messagesOnAverage = 2
    private static let messagesAtLeast = 2000
    /// More reminders of one hour than these are no people's: they are read by and by.
    private static let remindersAUser = 200

    private let users: Parameter
    private let until: Int64
    private let deviceLimit: Int
    private let messageLimit: Int

    /// - Parameter until: reminders that can be due by then are read; microseconds since 1970.
    init(_ users: [UUID], until: Int64) {
        self.users = .uuidArray(users)
        self.until = until
        deviceLimit = Self.devicesAUser * users.count + Self.devicesAtLeast
        messageLimit = Self.messagesOnAverage * users.count + Self.messagesAtLeast
    }

    /// In the same transaction as their rows.
    var statements: [Statement] {
        [
            (Query.claimRecipients, [users]),
            (.claimDevices, [users, .int8(Int64(deviceLimit))]),
            (.claimMessages, [users, .int8(Int64(messageLimit))]),
            (.claimReminders, [users, .timestamp(until), .int8(Int64(Self.remindersAUser))]),
        ].map { query, parameters in Statement(query.rawValue, sql: query.sql, parameters: parameters) }
    }

    /// The users put together.
    ///
    /// - Parameters:
    ///   - answers: of `statements`, in their order.
    ///   - ask: asks what is to be asked anew where somebody has more than people have.
    func parts(
        people: Rows,
        _ answers: some Collection<Rows>,
        ask: (Query, [Parameter]) async throws(PostgresError) -> Rows
    ) async throws(PostgresError) -> ClaimedParts {
        let answers = Array(answers)
        guard answers.count == 4 else {
            throw PostgresError(.unexpectedResult, statement: Query.claimRecipients.rawValue)
        }
        var (devices, messages) = (answers[1], answers[2])
        if devices.count >= deviceLimit { devices = try await ask(.claimDevicesBounded, [users]) }
        if messages.count >= messageLimit {
            messages = try await ask(
                .claimMessagesBounded,
                [users, .int8(Int64(messageLimit)), .int8(Int64(Self.messagesAUser))]
            )
        }
        return try ClaimedParts(
            people: people,
            recipients: answers[0],
            devices: devices,
            messages: messages,
            reminders: try await reminders(answers[3], ask: ask)
        )
    }

    /// Each user's, and whether they live: asked only where there are any.
    private func reminders(
        _ rows: Rows,
        ask: (Query, [Parameter]) async throws(PostgresError) -> Rows
    ) async throws(PostgresError) -> [UUID: PendingReminders] {
        guard rows.count > 0 else { return [:] }
        var found: [(user: UUID, reminder: PendingReminder)] = []
        for row in 0..<rows.count { found.append((try rows.uuid(row, 0), try PendingReminder(rows, row))) }
        let live = try await ask(
            .liveReminders,
            [.uuidArray(found.map(\.reminder.authorID)), .uuidArray(found.map(\.reminder.reminderID))]
        )
        var living: Set<UUID> = []
        for row in 0..<live.count { living.insert(try live.uuid(row, 0)) }
        var pending: [UUID: PendingReminders] = [:]
        for (user, var reminder) in found {
            reminder.isCancelled = !living.contains(reminder.reminderID)
            pending[user, default: PendingReminders()].add(reminder, until: until, limit: Self.remindersAUser)
        }
        return pending
    }
}
