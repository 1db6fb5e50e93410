package import APNs
import Base
import Synchronization

/// The senders, one per lane. They share no connection, provider token or back-off, and each stops alone.
package final class Lanes: Sendable {
    private typealias Lane = (identity: LaneIdentity, sender: Sender, configuration: SenderConfiguration)

    /// In the configuration's order. There are few, so a search is cheaper than hashing.
    private let lanes = Mutex<[Lane]>([])
    private let log: @Sendable (SenderEvent, LaneIdentity) -> Void

    package init(_ lanes: [SenderConfiguration], log: @escaping @Sendable (SenderEvent, LaneIdentity) -> Void) {
        self.log = log
        reconfigure(lanes)
    }

    package var all: [(identity: LaneIdentity, sender: Sender)] {
        lanes.withLock { lanes in lanes.map { ($0.identity, $0.sender) } }
    }

    package var count: Int { lanes.withLock(\.count) }

    package func sender(_ identity: LaneIdentity) -> Sender? {
        lanes.withLock { lanes in lanes.first { $0.identity == identity }?.sender }
    }

    /// Takes a new configuration. Unchanged lanes keep their connections. Removed lanes end in good order.
    package func reconfigure(_ configurations: [SenderConfiguration]) {
        let old = lanes.withLock { $0 }
        let next = configurations.map { configuration -> Lane in
            let identity = configuration.identity
            guard let known = old.first(where: { $0.identity == identity }) else {
                let sender = Sender(configuration: configuration, log: { [log] in log($0, identity) })
                return (identity, sender, configuration)
            }
            if known.configuration != configuration { known.sender.reconfigure(configuration) }
            return (identity, known.sender, configuration)
        }
        lanes.withLock { $0 = next }
        for lane in old where !next.contains(where: { $0.identity == lane.identity }) {
            let longest = BootTime.milliseconds() + lane.configuration.client.requestDeadline
            Task { await lane.sender.drain(deadline: longest) }
        }
    }

    /// Ends all lanes at the same time. Pushes in flight are awaited until `deadline` (milliseconds of CLOCK_BOOTTIME).
    package func drain(deadline: Int64) async {
        await withTaskGroup(of: Void.self) { group in
            for (_, sender) in all { group.addTask { await sender.drain(deadline: deadline) } }
        }
    }

    /// The lanes that Apple refuses, each with its reason and remedy. nil: none.
    package var stoppedText: String? {
        let texts = troubles { if case .stopped = $0 { true } else { false } }
        return texts.isEmpty ? nil : texts.joined(separator: "; ")
    }

    package var areAllBlocked: Bool { all.allSatisfy { $0.sender.isBlocked } }

    /// Whether at least one lane sends, or could at once. A lane that is connecting, waiting or stopped does not count.
    var doesAnyServe: Bool { all.contains { $0.sender.status.serves } }

    /// What keeps lanes from sending. With several lanes, each text names its lane.
    package var troubleTexts: [String] { troubles { !$0.serves } }

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

extension LaneStatus {
    fileprivate var serves: Bool {
        switch self {
        case .idle, .open: true
        case .connecting, .backingOff, .stopped, .resting, .draining: false
        }
    }
}

extension Sender {
    /// Whether it takes nothing for a while. A lane that is only full is not blocked: the next answers free it.
    var isBlocked: Bool {
        switch status {
        case .idle, .open, .connecting: false
        case .backingOff, .stopped, .resting, .draining: freeSlots == 0
        }
    }

    var isStopped: Bool { if case .stopped = status { true } else { false } }
}
