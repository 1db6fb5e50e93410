import Synchronization

import struct FoundationEssentials.UUID

/// The open intents that this daemon knows. If the database has another open intent of this member, its settlement was
/// lost: a standby was promoted before it had received it.
final class OpenIntents: Sendable {
    private let ids = Mutex<Set<UUID>>([])

    /// Called before the commit, so that every intent of ours in the database is known here first.
    func open() -> OpenIntent {
        let id = UUID.random()
        ids.withLock { _ = $0.insert(id) }
        return OpenIntent(id, self)
    }

    /// All of them. Read it before a claim's statement is sent: one that ends meanwhile was known then.
    var known: [UUID] { ids.withLock { Array($0) } }

    /// Those of these intents that this daemon does not know.
    func strays(among found: [UUID]) -> [UUID] { ids.withLock { ids in found.filter { !ids.contains($0) } } }

    fileprivate func close(_ id: UUID) { ids.withLock { _ = $0.remove(id) } }
}

/// An open intent. It is closed when its last reference is dropped.
final class OpenIntent: Sendable {
    let id: UUID
    private let all: OpenIntents

    fileprivate init(_ id: UUID, _ all: OpenIntents) {
        self.id = id
        self.all = all
    }

    deinit { all.close(id) }
}
