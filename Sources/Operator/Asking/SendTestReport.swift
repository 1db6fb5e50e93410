import Planning
import APNs
import JSON
package import Systemd

/// What became of test pushes: Apple's answers and what they mean.
package struct SendTestReport: Sendable {
    /// What the lane told meanwhile.
    struct Trouble: Sendable, Equatable {
        /// Apple refuses the configuration: its reason.
        let stopped: String?
        let words: String

        init?(_ event: SenderEvent) {
            switch event {
            case .laneStopped(let reason, let mend):
                stopped = reason
                words = "\(LaneStatus.cause(reason)): \(mend)"
            case .connectionLost(_, let why, _):
                stopped = nil
                words = "the connection to Apple failed: \(why)"
            default: return nil
            }
        }
    }

    /// Of one device.
    struct Result: Sendable {
        let device: String
        let lane: LaneIdentity
        let outcome: PushOutcome
        let trouble: Trouble?
    }

    var results: [Result] = []
    /// Hashes of devices that no lane serves.
    var notServed: [String] = []

    /// 0 where Apple took each, else by the worst: `configuration` where it refuses the lane, `dataError` where it refuses a device, `unavailable` where
    /// nothing was answered, `temporary` where it asks to come back.
    package var status: ExitStatus {
        let all = Set(results.map(\.status))
        return [.configuration, .unavailable, .temporary, .dataError].first(where: all.contains) ?? .success
    }

    /// A line a device.
    package var words: String {
        let lines = results.map { "device \($0.device) on \($0.lane.words): \($0.answer): \($0.meaning)" }
        return (lines + notServed.map { "device \($0): not sent, no lane of this configuration serves it" }).joined(
            separator: "\n"
        )
    }

    /// `{"results": [{"device", "environment", "topic", "outcome", "status", "reason", "meaning"}], "not_served": [device]}`.
    package var json: String {
        var json = JSONWriter()
        json.beginObject()
        json.list("results", results) { result, json in
            json.beginObject()
            json.put("device", result.device)
            json.put("environment", result.lane.environment)
            json.put("topic", result.lane.topic)
            json.put("outcome", result.outcome.name)
            json.key("status")
            json.value(result.outcome.answer.status.map { .int(Int64($0)) } ?? .null)
            json.put("reason", result.outcome.answer.reason)
            json.put("meaning", result.meaning)
            json.endObject()
        }
        json.list("not_served", notServed) { hash, json in json.string(hash) }
        json.endObject()
        return json.string
    }
}

extension SendTestReport.Result {
    /// What Apple said.
    var answer: String {
        let (status, reason) = outcome.answer
        if let stopped = trouble?.stopped, case .unsent = outcome { return stopped }
        return [status.map(String.init), reason].compactMap(\.self).joined(separator: " ")
    }

    /// What it means for whoever sent it.
    var meaning: String {
        switch outcome {
        case .accepted:
            "accepted, on its way; where the phone shows nothing, it is offline or its owner has not allowed the app's notifications"
        case .rejected(410, _, _): "the app was removed from this device or its token replaced: a sweep deletes it"
        case .rejected(_, "invalid_token", _):
            "the token is no hexadecimal text of 2 to 200 digits: see what the app stores"
        case .rejected: "refused for good"
        case .suspect(_, "DeviceTokenNotForTopic"):
            "the token is of another app: apns.bundleId, or the row's topic, is not the app's"
        case .suspect:
            "the token is not of this environment or of no app at all: tokens of builds from Xcode are sandbox's, those of TestFlight and the App Store "
                + "production's"
        case .delayed(_, let status, _):
            status == 429 ? "too many pushes to this device: try later" : "Apple has trouble: try later"
        case .unsent: trouble?.words ?? "not written: the connection was not ready in time"
        case .unknown: (trouble.map { "\($0.words); " } ?? "") + "written and not answered: it may have arrived"
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
    /// In one word.
    fileprivate var name: String {
        switch self {
        case .accepted: "accepted"
        case .rejected, .suspect: "rejected"
        case .delayed: "deferred"
        case .unsent: "unsent"
        case .unknown: "unknown"
        }
    }

    /// Apple's status and reason, or ours.
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
