package import Postgres

package import struct FoundationEssentials.UUID

/// A user whose data the database refused. Holds none of their data.
package struct Refusal: Sendable, Equatable {
    package let userID: UUID
    /// What is refused, such as `nudged.recipient.preferences`; nil: unknown.
    package let column: String?
    /// SQLSTATE and its name, or what could not be read.
    package let error: String
    package let cause: Cause

    package enum Cause: Sendable, Equatable {
        /// A row is locked. It is tried again after a while.
        case heldRow
        /// The server may be in trouble, or an error of the app's own views and triggers passes: a time-out, no memory, a
        /// missing right. Tried again soon, then less often.
        case maybeServer
        /// The content is refused until it changes.
        case content
    }

    package var isHeld: Bool { cause == .heldRow }

    package init(userID: UUID, column: String? = nil, error: String, cause: Cause = .content) {
        self.userID = userID
        self.column = column
        self.error = error
        self.cause = cause
    }

    /// - Parameter locks: whether the statement takes locks. If it doesn't, the app's view has raised what looks like a
    ///   held lock.
    package init(_ userID: UUID, _ error: PostgresError, column: String? = nil, locks: Bool = true) {
        self.init(
            userID: userID,
            column: column ?? error.object,
            error: [error.sqlState, error.condition ?? error.detail].compactMap(\.self).joined(separator: " "),
            cause: locks && error.isHeldRow ? .heldRow : error.isSurelyContent ? .content : .maybeServer
        )
    }
}

extension PostgresError {
    /// The membership has ended. Nothing was written, and the daemon must join again. Only statements that touch nothing
    /// of the app say so: its triggers can raise any error.
    package var isFenced: Bool {
        switch statement {
        case Query.holdMember.name: sqlState == "ND020"
        case Query.intent.name, Query.withdrawIntents.name: sqlState == "23503"
        default: false
        }
    }

    /// A row stayed locked for longer than a commit takes. (The member row is locked by the transaction that ends the
    /// membership, so it doesn't count.)
    package var isHeldRow: Bool { sqlState == "55P03" && statement != Query.holdMember.name }

    /// The database refuses the content that a statement reads or writes, not the statement: a value that is too large,
    /// a check, a time-out, a function of the app's.
    package var isAboutContent: Bool {
        if code == .unexpectedResult { return true }
        guard code == .refusedByServer, let sqlState, !isFenced else { return false }
        if ["53200", "57014", "P0001"].contains(sqlState) { return true }
        return ["21", "22", "23", "54", "XX"].contains(sqlState.prefix(2))
    }

    /// The server refused an intent, so it is not committed. (Errors of the statements after the commit don't count.)
    package var refusesIntent: Bool {
        code == .refusedByServer
            && [Query.intent, .holdMessages, .holdMessagesDistributed].contains { $0.name == statement }
    }

    /// The server would not refuse any statement like this (class XX: internal error).
    fileprivate var isSurelyContent: Bool { isAboutContent && !isTransient && sqlState?.hasPrefix("XX") != true }

    package var isTimeOut: Bool { sqlState == "57014" }

    /// The session ended instead of an answer.
    var isCut: Bool { code == .connectionLost || code == .timedOut }
}
