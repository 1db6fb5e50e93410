package import Postgres

package import struct FoundationEssentials.UUID

/// A user whose data the database refused. Holds none of their data.
package struct Refusal: Sendable, Equatable {
    package let userID: UUID
    /// What is refused, such as `nudged.recipient.preferences`; nil: unknown.
    package var column: String?
    /// SQLSTATE and its name, or what could not be read.
    package let error: String
    package var cause: Cause = .content

    package enum Cause: Sendable, Equatable {
        /// A row is locked. It is tried again after a while.
        case heldRow
        /// The server may be in trouble, or an error of the app's own views and triggers passes: a time-out, no memory, a
        /// missing right. Tried again soon, then less often.
        case maybeServer
        /// The content is refused until it changes.
        case content
        /// A newer version wrote it. Tried again in a minute or two, since that version may own the user by then.
        case newer
    }

    package static let newer = "a newer nudged wrote it"

    package var isHeld: Bool { cause == .heldRow }
}

extension Refusal {
    /// - Parameter locks: whether the statement takes locks. If not, the app's view raised what looks like one.
    package init(_ userID: UUID, _ error: PostgresError, column: String? = nil, locks: Bool = true) {
        self.init(
            userID: userID,
            column: column ?? error.object,
            error: [error.sqlState, error.condition ?? error.detail].compactMap(\.self).joined(separator: " "),
            cause: error.detail == Self.newer
                ? .newer : locks && error.isHeldRow ? .heldRow : error.isSurelyContent ? .content : .maybeServer
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

    /// A row stayed locked for longer than a commit takes. (A locked member row means that the membership ends.)
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

/// Users whose data the database refused lately. They are set aside, so that they delay nobody else. A value:
/// the caller passes the time in milliseconds.
struct SetAside: Sendable {
    /// How long a locked row is not tried again.
    static let heldMilliseconds: Int64 = 30_000
    static let suspectMilliseconds: Int64 = 3_600_000
    /// How long a user is first delayed. Each time after that it is twice as long, up to `longestDelay`.
    static let firstDelay: Int64 = 1_000
    static let longestDelay: Int64 = 512_000
    static let mostSuspects = 1_000

    private var skippedUntil: [UUID: Int64] = [:]
    /// Users whose content was refused. They are read alone, after the others.
    private var suspects: [UUID: (until: Int64, nextDelay: Int64)] = [:]

    /// Skips a user who was not reached in time.
    mutating func skip(_ user: UUID, at now: Int64) { skippedUntil[user] = now + Self.heldMilliseconds }

    mutating func skip(_ refusal: Refusal, at now: Int64) {
        switch refusal.cause {
        case .heldRow: skip(refusal.userID, at: now)
        case .maybeServer:
            // So the user is tried again soon, then less often.
            suspect(refusal.userID, at: now)
            let delay = suspects[refusal.userID]?.nextDelay ?? Self.firstDelay
            skippedUntil[refusal.userID] = now + delay
            suspects[refusal.userID]?.nextDelay = min(2 * delay, Self.longestDelay)
        case .content, .newer: skippedUntil[refusal.userID] = now + Self.suspectMilliseconds
        }
    }

    mutating func suspect(_ user: UUID, at now: Int64) {
        if suspects.count >= Self.mostSuspects, suspects[user] == nil,
            let oldest = suspects.min(by: { $0.value.until < $1.value.until })
        {
            suspects[oldest.key] = nil
        }
        suspects[user, default: (0, Self.firstDelay)].until = now + Self.suspectMilliseconds
    }

    /// Forgets a suspect who could be read. One who was delayed stays: what refused them may come after the read.
    mutating func clear(_ user: UUID) { if suspects[user]?.nextDelay == Self.firstDelay { suspects[user] = nil } }

    mutating func skipped(at now: Int64) -> [UUID] {
        skippedUntil = skippedUntil.filter { $0.value > now }
        return Array(skippedUntil.keys)
    }

    mutating func suspects(at now: Int64) -> Set<UUID> {
        suspects = suspects.filter { $0.value.until > now }
        return Set(suspects.keys)
    }
}
