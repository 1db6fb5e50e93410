package import Planning
package import APNs
import Synchronization

/// The senders, one a lane: they share no connection, no provider token, no backoff, and stop each for itself.
package final class Lanes: Sendable {
    private struct State {
        var senders: [LaneIdentity: Sender] = [:]
        /// In the order of the configuration.
        var order: [LaneIdentity] = []
        var configurations: [LaneIdentity: SenderConfiguration] = [:]
    }

    private let state = Mutex(State())
    private let log: @Sendable (SenderEvent, LaneIdentity) -> Void

    /// - Parameter log: hears what a lane's sender has to tell.
    /// - Throws: what is wrong with a lane's key.
    package init(
        _ lanes: [LaneConfiguration],
        log: @escaping @Sendable (SenderEvent, LaneIdentity) -> Void
    ) throws(APNsError) {
        self.log = log
        try reconfigure(lanes)
    }

    /// In the order of the configuration.
    package var all: [(identity: LaneIdentity, sender: Sender)] {
        state.withLock { state in
            state.order.compactMap { identity in state.senders[identity].map { (identity, $0) } }
        }
    }

    package var count: Int { state.withLock { $0.order.count } }

    /// nil: the lane is none any more.
    package func sender(_ lane: LaneIdentity) -> Sender? {
        state.withLock { $0.senders[lane] }
    }

    /// Takes a new configuration: lanes that stay keep their connections where nothing of theirs changed, lanes that are gone end in good order.
    ///
    /// - Throws: what is wrong with a lane's key; then everything stays as it was.
    package func reconfigure(_ lanes: [LaneConfiguration]) throws(APNsError) {
        let old = state.withLock { $0 }
        var next = State()
        var changed: [(Sender, SenderConfiguration)] = []
        for lane in lanes {
            // Checked before anything is changed: a reload is done whole or not at all.
            let fresh = try sender(lane)
            let known = old.senders[lane.identity]
            if let known, old.configurations[lane.identity] != lane.sender { changed.append((known, lane.sender)) }
            next.senders[lane.identity] = known ?? fresh
            next.order.append(lane.identity)
            next.configurations[lane.identity] = lane.sender
        }
        for (sender, configuration) in changed { try sender.reconfigure(configuration) }
        let gone = old.senders.filter { next.senders[$0.key] == nil }
        state.withLock { $0 = next }
        for (identity, sender) in gone {
            let longest = BootTime.milliseconds() + (old.configurations[identity]?.requestDeadline ?? 0)
            Task { await sender.drain(deadline: longest) }
        }
    }

    private func sender(_ lane: LaneConfiguration) throws(APNsError) -> Sender {
        let (log, identity) = (log, lane.identity)
        return try Sender(configuration: lane.sender, log: { log($0, identity) })
    }

    /// Pushes in flight are awaited until the instant (milliseconds of CLOCK_BOOTTIME), on all lanes side by side.
    package func drain(deadline: Int64) async {
        await withTaskGroup(of: Void.self) { group in
            for (_, sender) in all { group.addTask { await sender.drain(deadline: deadline) } }
        }
    }

    // MARK: How they stand

    /// Lanes that Apple refuses, each with its reason and mend in words.
    package var stoppedWords: String? {
        let words = troubles { if case .stopped = $0 { true } else { false } }
        return words.isEmpty ? nil : words.joined(separator: "; ")
    }

    /// Whether no lane takes anything for now.
    package var areAllBlocked: Bool { all.allSatisfy { $0.sender.isBlocked } }

    /// Whether at least one lane sends, or would; one that has no connection yet, again, or to no purpose doesn't.
    var doesAnyServe: Bool {
        all.contains { _, sender in
            switch sender.status {
            case .idle, .open: true
            case .connecting, .backingOff, .stopped, .resting, .draining: false
            }
        }
    }

    /// What keeps lanes from sending, each in words; the lane is named where there are several.
    package var troubleWords: [String] {
        troubles { status in
            switch status {
            case .idle, .open: false
            case .connecting, .backingOff, .stopped, .resting, .draining: true
            }
        }
    }

    private func troubles(_ isOne: (LaneStatus) -> Bool) -> [String] {
        let all = all
        return all.compactMap { identity, sender in
            let status = sender.status
            guard isOne(status) else { return nil }
            return all.count > 1 ? "\(identity.words): \(status.words)" : status.words
        }
    }
}

extension Sender {
    /// Whether it takes nothing for a while: other than full, which the next answers mend.
    var isBlocked: Bool {
        switch status {
        case .idle, .open, .connecting: false
        case .backingOff, .stopped, .resting, .draining: freeSlots == 0
        }
    }

    var isStopped: Bool {
        if case .stopped = status { true } else { false }
    }
}
