package import FoundationEssentials
import Base

/// A request as it arrived, before any check.
package struct ReceivedRequest: Sendable, Equatable {
    /// The last part of the path. In a valid request it is the device token.
    package let token: String
    /// Its `apns-id`; nil if it had none or not a UUID.
    package let apnsID: UUID?
    package let connection: Int
    /// The number of its provider token, in order of first use, from 1; 0 if it had none.
    package let providerToken: Int
}

package struct AnsweredRequest: Sendable, Equatable {
    /// The device token of the path; empty if there was none.
    package let token: String
    /// 0 if it was not answered.
    package let status: Int
    /// Apple's reason; empty for 200, for a raw body and for no answer.
    package let reason: String
    package let connection: Int
}

/// What the simulator has counted since its start. A held request counts as answered when it is released.
package struct SimulatorCounts: Sendable, Equatable {
    package var connections = 0
    package var requests = 0
    package var accepted = 0
    package var held = 0
    package var mostHeld = 0
}

/// Everything that the simulator had recorded at one instant. The lists are empty if only counts are recorded.
package struct SimulatorSnapshot: Sendable {
    package fileprivate(set) var counts = SimulatorCounts()
    package fileprivate(set) var accepted: [AcceptedPush] = []
    package fileprivate(set) var received: [ReceivedRequest] = []
    package fileprivate(set) var answered: [AnsweredRequest] = []
    fileprivate var authorizations: [String: Int] = [:]
}

final class SimulatorLog: Sendable {
    private let state = Mutex(SimulatorSnapshot())
    private let recordsAll: Bool

    init(recordsAll: Bool) { self.recordsAll = recordsAll }

    var counts: SimulatorCounts { state.withLock { $0.counts } }
    var snapshot: SimulatorSnapshot { state.withLock { $0 } }

    func connectionOpened() { state.withLock { $0.counts.connections += 1 } }

    func held(_ change: Int) {
        state.withLock { state in
            state.counts.held += change
            state.counts.mostHeld = max(state.counts.mostHeld, state.counts.held)
        }
    }

    /// `request` gets the provider token's number, and is called only if everything is recorded.
    func received(_ authorization: String?, _ request: (Int) -> ReceivedRequest) {
        guard recordsAll else { return }
        state.withLock { state in
            var number = 0
            if let authorization {
                number = state.authorizations[authorization] ?? state.authorizations.count + 1
                state.authorizations[authorization] = number
            }
            state.received.append(request(number))
        }
    }

    /// Called before the answer is written, so a client that has the answer finds the push in the log.
    func accepted(_ push: AcceptedPush) {
        state.withLock { state in
            state.counts.accepted += 1
            if recordsAll { state.accepted.append(push) }
        }
    }

    func answered(_ request: AnsweredRequest) {
        state.withLock { state in
            state.counts.requests += 1
            if recordsAll { state.answered.append(request) }
        }
    }
}
