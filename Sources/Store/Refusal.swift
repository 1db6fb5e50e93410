package import Postgres

package import struct FoundationEssentials.UUID

/// A user of whom the database refused something by itself. Holds none of their data.
package struct Refusal: Sendable, Equatable {
    /// The user.
    package let userID: UUID
    /// What is refused: `nudged.recipient.preferences` and the like; nil: it is not known.
    package let column: String?
    /// SQLSTATE and its name, or what could not be read.
    package let error: String
    /// Somebody holds the row: it is tried again after a while. Else it is the content, and nothing helps until that changes.
    package let isHeld: Bool

    package init(userID: UUID, column: String? = nil, error: String, isHeld: Bool = false) {
        self.userID = userID
        self.column = column
        self.error = error
        self.isHeld = isHeld
    }

    package init(_ userID: UUID, _ error: PostgresError, column: String? = nil) {
        self.init(
            userID: userID,
            column: column ?? error.object,
            error: [error.sqlState, error.condition ?? error.detail].compactMap(\.self).joined(separator: " "),
            isHeld: error.isHeldRow
        )
    }
}

extension PostgresError {
    /// The membership has ended: nothing was written, and the daemon is to join anew.
    package var isFenced: Bool {
        // hold_member, and the foreign key of an intent.
        sqlState == "ND020" || (sqlState == "23503" && object?.contains("intent_member_fkey") ?? false)
    }

    /// Somebody holds a row for longer than a commit takes. (A membership is held by the one who ends it.)
    package var isHeldRow: Bool { sqlState == "55P03" && statement != Query.holdMember.name }

    /// The database refuses what a statement reads or writes, and not the statement: a value that is too large, a check, a time-out, a function of the app's.
    package var isAboutContent: Bool {
        if code == .unexpectedResult { return true }
        guard code == .refusedByServer, let sqlState, !isFenced else { return false }
        if ["53200", "57014", "P0001"].contains(sqlState) { return true }
        return ["21", "22", "23", "54", "XX"].contains(sqlState.prefix(2))
    }

    /// The server has refused an intent, so it is not committed. (After the commit, in the same flight, other statements look for changes.)
    package var refusesIntent: Bool {
        code == .refusedByServer
            && [Query.intent, .holdMessages, .holdMessagesDistributed].contains { $0.name == statement }
    }

    /// The statement's time was over.
    package var isTimeOut: Bool { sqlState == "57014" }
}
