import FoundationEssentials
import Postgres

/// What is asked of users beside their rows: their profiles, their devices, their messages; for a claim and for whoever reads as one.
struct PartQuestions {
    /// More devices than these in a batch are no people's: then the newest hundred of each count.
    private static let devicesAUser = 4
    private static let devicesAtLeast = 100
    /// More messages than these in a batch are no people's: then so many of each count, and so many in all.
    private static let messagesAUser = 2000
    private static let messagesOnAverage = 2
    private static let messagesAtLeast = 2000

    private let users: Parameter
    private let deviceLimit: Int
    private let messageLimit: Int

    init(_ users: [UUID]) {
        self.users = .uuidArray(users)
        deviceLimit = Self.devicesAUser * users.count + Self.devicesAtLeast
        messageLimit = Self.messagesOnAverage * users.count + Self.messagesAtLeast
    }

    /// In the same transaction as their rows.
    var statements: [Statement] {
        [
            (Query.claimRecipients, [users]),
            (.claimDevices, [users, .int8(Int64(deviceLimit))]),
            (.claimMessages, [users, .int8(Int64(messageLimit))]),
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
        guard answers.count == 3 else {
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
        return try ClaimedParts(people: people, recipients: answers[0], devices: devices, messages: messages)
    }
}
