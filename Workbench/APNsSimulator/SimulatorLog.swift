package import FoundationEssentials

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
    package internal(set) var counts = SimulatorCounts()
    package internal(set) var accepted: [AcceptedPush] = []
    package internal(set) var received: [ReceivedRequest] = []
    package internal(set) var answered: [AnsweredRequest] = []
    /// Each provider token's number (`ReceivedRequest.providerToken`).
    var authorizations: [String: Int] = [:]
}
