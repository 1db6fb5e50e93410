import Synchronization

import struct FoundationEssentials.UUID

/// The intents that this daemon has committed, or is committing, and not closed. An intent of ours in the database that is not among them is one whose
/// settlement was lost: a standby was promoted that had not got it.
final class OpenIntents: Sendable {
    private let ids = Mutex<Set<UUID>>([])

    /// Called before the commit: what the database shows of ours is always known here first.
    func open() -> OpenIntent {
        let id = UUID()
        ids.withLock { _ = $0.insert(id) }
        return OpenIntent(id, self)
    }

    var all: [UUID] { ids.withLock { Array($0) } }

    /// Those of these that nobody here works on.
    func strays(among found: [UUID]) -> [UUID] { ids.withLock { ids in found.filter { !ids.contains($0) } } }

    fileprivate func close(_ id: UUID) { ids.withLock { _ = $0.remove(id) } }
}

/// One of them, open as long as somebody refers to it.
final class OpenIntent: Sendable {
    let id: UUID
    private let all: OpenIntents

    fileprivate init(_ id: UUID, _ all: OpenIntents) {
        self.id = id
        self.all = all
    }

    deinit { all.close(id) }
}
