package import APNs
import Base
import Synchronization

/// The senders, one per lane. They share no connection, provider token or back-off, and each stops alone.
package final class Lanes: Sendable {
    private struct State {
        var senders: [LaneIdentity: Sender] = [:]
        var order: [LaneIdentity] = []
        var configurations: [LaneIdentity: SenderConfiguration] = [:]
    }

    private let state = Mutex(State())
    private let log: @Sendable (SenderEvent, LaneIdentity) -> Void

    /// - Parameter log: called with each event of a lane's sender.
    package init(_ lanes: [SenderConfiguration], log: @escaping @Sendable (SenderEvent, LaneIdentity) -> Void) {
        self.log = log
        reconfigure(lanes)
    }

    package var all: [(identity: LaneIdentity, sender: Sender)] {
        state.withLock { state in
            state.order.compactMap { identity in state.senders[identity].map { (identity, $0) } }
        }
    }

    package var count: Int { state.withLock { $0.order.count } }

    /// nil: the configuration has no such lane now.
    package func sender(_ lane: LaneIdentity) -> Sender? {
        state.withLock { $0.senders[lane] }
    }

    /// Takes a new configuration. Unchanged lanes keep their connections. Removed lanes end in good order.
    package func reconfigure(_ lanes: [SenderConfiguration]) {
        let old = state.withLock { $0 }
        var next = State()
        var changed: [(Sender, SenderConfiguration)] = []
        for lane in lanes {
            let known = old.senders[lane.identity]
            if let known, old.configurations[lane.identity] != lane { changed.append((known, lane)) }
            next.senders[lane.identity] = known ?? sender(lane)
            next.order.append(lane.identity)
            next.configurations[lane.identity] = lane
        }
        for (sender, configuration) in changed { sender.reconfigure(configuration) }
        let gone = old.senders.filter { next.senders[$0.key] == nil }
        state.withLock { $0 = next }
        for (identity, sender) in gone {
            let longest = BootTime.milliseconds() + (old.configurations[identity]?.client.requestDeadline ?? 0)
            Task { await sender.drain(deadline: longest) }
        }
    }

    private func sender(_ lane: SenderConfiguration) -> Sender {
        let (log, identity) = (log, lane.identity)
        return Sender(configuration: lane, log: { log($0, identity) })
    }

    /// Ends all lanes at the same time. Pushes in flight are awaited until `deadline` (milliseconds of CLOCK_BOOTTIME).
    package func drain(deadline: Int64) async {
        await withTaskGroup(of: Void.self) { group in
            for (_, sender) in all { group.addTask { await sender.drain(deadline: deadline) } }
        }
    }

    // MARK: How they stand

    /// The lanes that Apple refuses, each with its reason and remedy. nil: none.
    package var stoppedText: String? {
        let texts = troubles { if case .stopped = $0 { true } else { false } }
        return texts.isEmpty ? nil : texts.joined(separator: "; ")
    }

    /// Whether no lane takes anything for now.
    package var areAllBlocked: Bool { all.allSatisfy { $0.sender.isBlocked } }

    /// Whether at least one lane sends, or could at once. A lane that is connecting, waiting or stopped does not count.
    var doesAnyServe: Bool {
        all.contains { _, sender in
            switch sender.status {
            case .idle, .open: true
            case .connecting, .backingOff, .stopped, .resting, .draining: false
            }
        }
    }

    /// What keeps lanes from sending. With several lanes, each text names its lane.
    package var troubleTexts: [String] {
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
            return all.count > 1 ? "\(identity.text): \(status.text)" : status.text
        }
    }
}

extension SenderConfiguration {
    package var identity: LaneIdentity { LaneIdentity(environment: environment.rawValue, topic: topic) }
}

extension Sender {
    /// Whether it takes nothing for a while. A lane that is only full is not blocked: the next answers free it.
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
