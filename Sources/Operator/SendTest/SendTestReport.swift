import APNs
import Core
import JSON
package import Systemd

package struct SendTestReport: CommandOutput {
    /// A problem that the lane reported while the pushes were sent.
    struct Trouble: Sendable, Equatable {
        /// Apple's reason for refusing the configuration. Nil for other problems.
        let stopped: String?
        let text: String

        init?(_ event: SenderEvent) {
            switch event {
            case .laneStopped(let reason, let remedy):
                stopped = reason
                text = "\(LaneStatus.cause(reason)): \(remedy)"
            case .connectionLost(_, let why, _):
                stopped = nil
                text = "the connection failed: \(why)"
            default: return nil
            }
        }
    }

    struct Result: Sendable {
        let device: String
        let lane: LaneIdentity
        let server: SenderConfiguration.Endpoint
        let outcome: PushOutcome
        let trouble: Trouble?
    }

    var results: [Result] = []
    var notServed: [String] = []

    /// 0 if Apple accepted every push. Else the worst: `configuration` if Apple refuses the lane, then `unavailable`
    /// (no answer), `temporary` (try later), `dataError` (a device was refused).
    package var status: ExitStatus {
        let all = Set(results.map(\.status))
        return [.configuration, .unavailable, .temporary, .dataError].first(where: all.contains) ?? .success
    }

    package func text(on screen: Screen) -> String {
        let lines = results.map { result in
            let server = result.server.isApples ? "" : " at \(result.server) (not Apple's)"
            return "device \(result.device) on \(result.lane.text)\(server): \(result.answer): \(result.meaning)"
        }
        return (lines + notServed.map { "device \($0): not sent, no lane of this configuration serves it" }).joined(
            separator: "\n"
        )
    }

    package var json: String {
        let fields = results.map { result -> Fields in
            [
                "device": result.device, "environment": result.lane.environment, "topic": result.lane.topic,
                "server": "\(result.server)", "outcome": result.outcome.name,
                "status": result.outcome.answer.status, "reason": result.outcome.answer.reason,
                "meaning": result.meaning,
            ]
        }
        return Fields.text(["results": fields, "not_served": notServed])
    }
}

extension SendTestReport.Result {
    /// Apple's status and reason, or ours if Apple did not answer.
    var answer: String {
        let (status, reason) = outcome.answer
        if let stopped = trouble?.stopped, case .unsent = outcome { return stopped }
        return [status.map(String.init), reason].compactMap(\.self).joined(separator: " ")
    }

    var meaning: String {
        switch outcome {
        case .accepted:
            "accepted, on its way; if the phone shows nothing, it is offline or does not allow the app's notifications"
        case .rejected(410, _, _):
            "the app was removed from this device, or its token was replaced; a sweep that sends to it deletes it"
        case .rejected(_, "invalid_token", _):
            "the token is not 2 to 200 hexadecimal digits: check what the app stores"
        case .rejected: "refused for good"
        case .suspect(_, "DeviceTokenNotForTopic"):
            "the token belongs to another app: correct apns.bundleId, or the topic in the token's row"
        case .suspect:
            "the token belongs to the other environment, or to no app: builds from Xcode have sandbox tokens, "
                + "TestFlight and the App Store production tokens"
        case .delayed(_, let status, _):
            status == 429 ? "too many pushes to this device: try later" : "Apple has trouble: try later"
        // What failed is the answer already.
        case .unsent(let reason) where trouble?.text.hasSuffix(reason) ?? false:
            "not sent: " + (server.isApples ? "check DNS and the firewall" : "check that this server runs")
        case .unsent: trouble?.text ?? "not sent: the connection was not ready in time"
        case .unknown: (trouble.map { "\($0.text); " } ?? "") + "sent, but Apple did not answer: it may have arrived"
        }
    }

    var status: ExitStatus {
        switch outcome {
        case .accepted: .success
        case .rejected, .suspect: .dataError
        case .delayed: .temporary
        case .unsent, .unknown: trouble?.stopped == nil ? .unavailable : .configuration
        }
    }
}

extension PushOutcome {
    fileprivate var name: String {
        switch self {
        case .accepted: "accepted"
        case .rejected, .suspect: "rejected"
        case .delayed: "deferred"
        case .unsent: "unsent"
        case .unknown: "unknown"
        }
    }

    /// Apple's status and reason. Without an answer, the status is nil and the reason is ours.
    fileprivate var answer: (status: Int?, reason: String?) {
        switch self {
        case .accepted: (200, nil)
        case .rejected(let status, let reason, _): (status, reason)
        case .suspect(let status, let reason): (status, reason)
        case .delayed(let reason, let status, _): (status, reason)
        case .unsent(let reason), .unknown(let reason): (nil, reason)
        }
    }
}
