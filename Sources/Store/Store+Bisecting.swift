import Postgres

import struct FoundationEssentials.UUID

/// The general rule for what one user can bring about and nobody thought of: a list that the database refuses is halved until the user is found.
extension Store {
    /// How long one attempt may wait and last.
    struct Patience: Sendable, Equatable {
        /// For one lock, in milliseconds: another transaction's commit takes less.
        let lock: Int
        /// For each statement; nil: the usual.
        let statement: Duration?

        /// Everybody at once.
        static let usual = Patience(lock: 250, statement: nil)
        /// It was refused before.
        static let again = Patience(lock: 50, statement: nil)
        /// The one is sought among many.
        static let searching = Patience(lock: 50, statement: .seconds(1))

        var settings: [(String, String)] { [("lock_timeout", String(lock))] }
    }

    /// So many refusals are one user's each; more are the server's trouble.
    static let mostRefusals = 8
    /// So long held rows are sought by halves.
    static let searchTime = Duration.seconds(2)

    /// Runs `work` over a list; where the database refuses it because of its content, or because somebody holds a row, over halves of it.
    ///
    /// - Parameters:
    ///   - first: what it was refused with already; nil: it was not tried.
    ///   - parting: parts a list into those whose rows nobody holds and the others; nil: that can't be told.
    ///   - refused: hears of each element that is refused by itself, or that somebody holds.
    /// - Throws: what is no element's fault, and the error of the last where too many are refused.
    func bisecting<Element>(
        _ all: [Element],
        first: PostgresError? = nil,
        parting: (([Element]) async throws(PostgresError) -> (free: [Element], held: [Element])?)? = nil,
        refused: (Element, PostgresError) async throws(PostgresError) -> Void,
        work: ([Element], Patience) async throws(PostgresError) -> Void
    ) async throws(PostgresError) {
        var bisection = Bisection(all)
        var first = first
        var refusals = 0
        var wasSlow = false
        var searchEnd: ContinuousClock.Instant?
        while let piece = bisection.next() {
            do throws(PostgresError) {
                if let error = first {
                    first = nil
                    throw error
                }
                try await work(piece, bisection.isSearching ? .searching : .usual)
            } catch {
                guard error.isHeldRow || error.isAboutContent else { throw error }
                if error.isHeldRow {
                    let isFirst = searchEnd == nil
                    let end = searchEnd ?? .now + Self.searchTime
                    searchEnd = end
                    if isFirst, piece.count > 1, let (free, held) = try await parting?(piece), !held.isEmpty {
                        bisection.again(free)
                        for element in held { try await refused(element, error) }
                        continue
                    }
                    if .now >= end {
                        for element in piece + bisection.giveUp() { try await refused(element, error) }
                        return
                    }
                }
                // One that was too slow by itself is tried twice: the server may have been.
                if piece.count == 1, error.isTimeOut, !wasSlow {
                    wasSlow = true
                    bisection.again(piece)
                    continue
                }
                wasSlow = false
                guard let one = bisection.refused(piece) else { continue }
                if !error.isHeldRow {
                    refusals += 1
                    if refusals > Self.mostRefusals { throw error }
                }
                try await refused(one, error)
            }
        }
    }

    /// Parts users by whether somebody holds their rows: by passing over them. nil: distributed tables refuse that.
    func parting<Element>(
        _ database: Database,
        user: @escaping (Element) -> UUID
    ) -> ([Element]) async throws(PostgresError) -> (free: [Element], held: [Element])? {
        { (all: [Element]) async throws(PostgresError) in
            let rows: Rows
            do throws(PostgresError) {
                rows = try await one(database, .freePeople, [.uuidArray(all.map(user))])
            } catch {
                guard error.sqlState == Self.notSupported else { throw error }
                return nil
            }
            let free = try userSet(rows)
            return (all.filter { free.contains(user($0)) }, all.filter { !free.contains(user($0)) })
        }
    }

    /// feature_not_supported
    static let notSupported = "0A000"
}
