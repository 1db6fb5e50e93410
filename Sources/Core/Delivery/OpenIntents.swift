import Synchronization

import struct FoundationEssentials.UUID

/// The open intents that this daemon knows. If the database has another open intent of this member, its settlement was
/// lost: a standby was promoted before it had received it.
final class OpenIntents: Sendable {
    /// For each, whether all of its users are in hand: none is about to be settled, or settled.
    private let ids = Mutex<[UUID: Bool]>([:])

    /// Called before the commit, so that every intent of ours in the database is known here first.
    func open() -> OpenIntent {
        let id = UUID.random()
        ids.withLock { $0[id] = true }
        return OpenIntent(id, self)
    }

    /// Those whose users are all in hand. Read it before a claim's statement is sent: one that ends meanwhile was known
    /// then. A claim leaves out the open users of all others: a promoted standby may lack their settlement.
    var inHand: [UUID] { ids.withLock { $0.filter(\.value).map(\.key) } }

    /// Those of these intents that this daemon does not know.
    func strays(among found: [UUID]) -> [UUID] { ids.withLock { ids in found.filter { ids[$0] == nil } } }

    fileprivate func part(_ id: UUID) { ids.withLock { $0[id] = false } }

    fileprivate func close(_ id: UUID) { ids.withLock { _ = $0.removeValue(forKey: id) } }
}

/// An open intent. It is closed when its last reference is dropped.
final class OpenIntent: Sendable {
    let id: UUID
    private let all: OpenIntents

    fileprivate init(_ id: UUID, _ all: OpenIntents) {
        self.id = id
        self.all = all
    }

    /// Called before the first of its users is settled.
    func part() { all.part(id) }

    deinit { all.close(id) }
}
