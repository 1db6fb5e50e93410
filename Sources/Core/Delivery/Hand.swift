import Synchronization
import TimeZones

import struct FoundationEssentials.UUID

/// The users in hand: claimed, and neither settled nor let go. A claim skips them, and a stop waits for them.
final class Hand: Sendable {
    private struct State: Sendable {
        var users: Set<UUID> = []
        /// Those whose data has changed since the claim.
        var changed: Set<UUID> = []
        /// Writes besides settlements: quarantines and postponements.
        var errands = 0
        /// The time for stopping is over.
        var isAbandoned = false
    }

    private let state = Monitor(State())
    let intents = OpenIntents()

    /// Read it before a claim's statement is sent. A user who is let go during the statement must still be skipped: it
    /// may have read their old row.
    var users: Set<UUID> { state.withLock(\.users) }

    var isEmpty: Bool { state.withLock { $0.users.isEmpty && $0.errands == 0 } }

    /// nil: the user is in hand already.
    func take(_ user: ClaimedUser, member: UUID, claimedAt: Instant, run: SweepRun) -> HeldUser? {
        guard state.withLock({ $0.users.insert(user.userID).inserted }) else { return nil }
        return HeldUser(user, member: member, claimedAt: claimedAt, run: run, hand: self)
    }

    /// The data of these users has changed. Called before their touches are taken: later a touch may
    /// be gone, but the change is noted here.
    func noteChanged(_ users: [UUID]) { state.withLock { $0.changed.formUnion($0.users.intersection(users)) } }

    func hasChanged(_ user: UUID) -> Bool { state.withLock { $0.changed.contains(user) } }

    func changed(among users: some Sequence<UUID>) -> [UUID] {
        state.withLock { state in state.changed.isEmpty ? [] : users.filter(state.changed.contains) }
    }

    fileprivate func letGo(_ userID: UUID) {
        state.withLock { state in
            state.users.remove(userID)
            state.changed.remove(userID)
        }
    }

    /// Runs a task that a stop waits for. The caller does not wait.
    func errand(_ body: @escaping @Sendable () async -> Void) {
        state.withLock { $0.errands += 1 }
        Task {
            await body()
            state.withLock { $0.errands -= 1 }
        }
    }

    func wait() async { await state.wait { $0.isAbandoned || $0.users.isEmpty && $0.errands == 0 } }

    /// Gives up what the database does not accept: it will be recorded as unknown.
    func abandon() { state.withLock { $0.isAbandoned = true } }

    var isAbandoned: Bool { state.withLock(\.isAbandoned) }
}

/// A user in hand, from stage to stage. When its last reference is dropped, the user can be claimed again.
final class HeldUser: Sendable {
    let userID: UUID
    /// The membership under which the user was claimed.
    let member: UUID
    /// The policy's `now` at the claim.
    let claimedAt: Instant
    let run: SweepRun
    private let hand: Hand

    fileprivate init(_ user: ClaimedUser, member: UUID, claimedAt: Instant, run: SweepRun, hand: Hand) {
        (userID, self.member, self.claimedAt) = (user.userID, member, claimedAt)
        (self.run, self.hand) = (run, hand)
        run.begin()
    }

    deinit {
        // The order matters: when nobody is in hand, the sweep's report must be complete.
        run.end()
        hand.letGo(userID)
    }
}

struct PlannedUser: Sendable {
    let plan: SendPlan
    let held: HeldUser
    /// Those of its pushes, once it is in flight.
    var places: FlightPlaces?
}

/// The open intents that this daemon knows. If the database has another open intent of this member, its settlement was
/// lost: a standby was promoted without it.
final class OpenIntents: Sendable {
    /// For each, whether all of its users are in hand: none is about to be settled, or settled.
    private let ids = Mutex<[UUID: Bool]>([:])

    /// Called before the commit, so that every intent of ours in the database is known here first.
    func open(_ id: UUID) { ids.withLock { $0[id] = true } }

    /// Called before the first of its users is settled.
    func part(_ id: UUID) { ids.withLock { $0[id] = false } }

    func close(_ id: UUID) { ids.withLock { _ = $0.removeValue(forKey: id) } }

    /// Those whose users are all in hand. Read it before a claim's statement is sent: one that ends meanwhile was known
    /// then. A claim leaves out the open users of all others: a promoted standby may lack their settlement.
    var inHand: [UUID] { ids.withLock { $0.filter(\.value).map(\.key) } }

    func strays(among found: [UUID]) -> [UUID] { ids.withLock { ids in found.filter { ids[$0] == nil } } }
}
