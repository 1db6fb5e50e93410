import APNs
import Base
package import Configuration
import Core
import JSON
import Service
import Synchronization
package import Systemd
import TimeZones

package import struct FoundationEssentials.UUID

/// One test push to a device, or to each device of a user, over the lane that serves it. The database stays as it is.
package struct SendTestRun: Sendable {
    package enum Target: Sendable, Equatable {
        /// A device token in hexadecimal, on the main lane.
        case token(String)
        case user(UUID)
    }

    private let configuration: Configuration
    private let lanes: [SenderConfiguration]
    private let payload: [UInt8]
    private let isForced: Bool

    /// Milliseconds for connection, push and answer together.
    private static let patience: Int64 = 20_000

    package init(_ configuration: Configuration, title: String? = nil, body: String? = nil, isForced: Bool) throws {
        guard let apns = configuration.apns else {
            throw ConfigurationFault(key: "apns", what: "is missing", remedy: "run nudged check-config")
        }
        (self.configuration, self.isForced) = (configuration, isForced)
        lanes = try Assembly.lanes(apns)
        let own = Notification(title: "nudged", body: "A test: this device can be reached.")
        let isOwn = title == nil && body == nil
        payload = try (isOwn ? own : Notification(title: title ?? "", body: body ?? "")).rendered()
    }

    package func run(_ target: Target) async throws -> SendTestReport {
        guard let main = lanes.first else { return SendTestReport() }
        switch target {
        case .token(let token): return SendTestReport(results: try await send(to: token, main))
        case .user(let user): return try await send(to: user, main)
        }
    }

    /// A token alone does not say whose it is: one that Apple does not know is tried in the app's other environment.
    private func send(to token: String, _ main: SenderConfiguration) async throws -> [SendTestReport.Result] {
        let results = try await send([token], main)
        guard let refused = results.first, case .suspect(_, "BadDeviceToken") = refused.outcome else { return results }
        let other = lanes.first { $0.topic == main.topic && $0.identity != main.identity }
        guard let other, other.environment != .production || isForced else { return results }
        let others = try await send([token], other)
        // If it is known there, the refusal was no fault.
        return others.allSatisfy { $0.facts.exit == .success } ? others : results + others
    }

    private func send(to user: UUID, _ main: SenderConfiguration) async throws -> SendTestReport {
        let read = try await DatabaseAccess(configuration).withStore { store in
            try await store.reading { reader in try await reader.user(user, now: Instant(seconds: 0)) }
        }
        let name = "user \(user.uuidString.lowercased())"
        guard let read else { throw CommandFailure("nothing is known of \(name): no profile, no device", .noUser) }
        let directory = LaneDirectory(standard: main.identity, others: lanes.map(\.identity))
        let served = Dictionary(grouping: read.user.devices) { directory.lane(of: $0) }
        var report = SendTestReport()
        report.notServed = (served[nil] ?? []).map { PushIdentity.deviceHash(token: $0.token) }
        for lane in lanes {
            if let devices = served[lane.identity] { report.results += try await send(devices.map(\.token), lane) }
        }
        guard report.results.isEmpty else { return report }
        let count = report.notServed.count
        guard count > 0 else { throw CommandFailure("\(name) has no device", .noUser) }
        let lacks = "but no lane of this configuration serves \(count == 1 ? "it" : "them")"
        throw CommandFailure("\(name) has \(Elapsed.counted(count, "device", "devices")), \(lacks)", .noUser)
    }

    private func send(_ tokens: [String], _ lane: SenderConfiguration) async throws -> [SendTestReport.Result] {
        if lane.environment == .production, !isForced {
            let risk = "a test push would reach the phone of one of the app's users; give --force to send it"
            throw CommandFailure("\(lane.identity.text) is production: \(risk)", .permission)
        }
        let trouble = Mutex<SendTestReport.Trouble?>(nil)
        let sender = Sender(configuration: lane) { event in
            switch event {
            case .laneStopped(let reason, let remedy):
                trouble.withLock { $0 = (reason, "\(LaneStatus.cause(reason)): \(remedy)") }
            case .connectionLost(_, let why, _): trouble.withLock { $0 = (nil, "the connection failed: \(why)") }
            default: break
            }
        }
        let end = BootTime.milliseconds() + Self.patience
        var pushes = PushBatch(topic: lane.topic, room: tokens.count)
        for token in tokens {
            // Expiration 0: Apple tries once. A test push that arrives tomorrow is useless.
            pushes.append(token: token, expiration: 0, apnsID: UUID(), writeBy: end) { $0 += payload }
        }
        let outcomes = await withCheckedContinuation { (continuation: CheckedContinuation<[PushOutcome], Never>) in
            // All pushes are one user's: they are complete together.
            let collected = Mutex(BatchOutcomes(pushCounts: [pushes.count]))
            sender.send(pushes) { results in
                let complete = collected.withLock { $0.take(results) }
                if let (_, outcomes) = complete.first { continuation.resume(returning: outcomes) }
            }
            // A push without an answer at the end is cut off and gets the outcome unknown or unsent.
            Task {
                try? await Task.sleep(for: .milliseconds(Self.patience))
                await sender.drain(deadline: end)
            }
        }
        await sender.drain(deadline: BootTime.milliseconds() + 1_000)
        let heard = trouble.withLock { $0 }
        return zip(tokens, outcomes).map { token, outcome -> SendTestReport.Result in
            let device = PushIdentity.deviceHash(token: token)
            return .init(device: device, lane: lane.identity, server: lane.server, outcome: outcome, trouble: heard)
        }
    }
}

package struct SendTestReport: CommandOutput {
    /// A problem that the lane reported meanwhile. `stopped`: Apple's reason, if it refuses the configuration.
    typealias Trouble = (stopped: String?, text: String)

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
        let all = Set(results.map(\.facts.exit))
        return [.configuration, .unavailable, .temporary, .dataError].first(where: all.contains) ?? .success
    }

    package func text(on screen: Screen) -> String {
        let lines = results.map { result in
            let server = result.server.isApples ? "" : " at \(result.server) (not Apple's)"
            return "device \(result.device) on \(result.lane.text)\(server): \(result.answer): \(result.meaning)"
        }
        let others = notServed.map { "device \($0): not sent, no lane of this configuration serves it" }
        return (lines + others).joined(separator: "\n")
    }

    package var json: String {
        let fields = results.map { result -> Fields in
            [
                "device": result.device, "environment": result.lane.environment, "topic": result.lane.topic,
                "server": "\(result.server)", "outcome": result.facts.name, "status": result.facts.status,
                "reason": result.facts.reason, "meaning": result.meaning,
            ]
        }
        return Fields.text(["results": fields, "not_served": notServed])
    }
}

extension SendTestReport.Result {
    var answer: String {
        if let stopped = trouble?.stopped, case .unsent = outcome { return stopped }
        return [facts.status.map(String.init), facts.reason].compactMap(\.self).joined(separator: " ")
    }

    var meaning: String {
        switch outcome {
        case .accepted:
            "accepted, on its way; if the phone shows nothing, it is offline or does not allow the app's notifications"
        case .rejected(410, _, _):
            "the app was removed from this device, or its token was replaced; a sweep that sends to it deletes it"
        case .rejected(_, "invalid_token", _): "the token is not 2 to 200 hexadecimal digits: check what the app stores"
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

    /// Apple's status and reason. Without an answer, the status is nil and the reason is ours.
    fileprivate var facts: (name: String, status: Int?, reason: String?, exit: ExitStatus) {
        let unanswered = trouble?.stopped == nil ? ExitStatus.unavailable : .configuration
        return switch outcome {
        case .accepted: ("accepted", 200, nil, .success)
        case .rejected(let status, let reason, _): ("rejected", status, reason, .dataError)
        case .suspect(let status, let reason): ("rejected", status, reason, .dataError)
        case .delayed(let reason, let status, _): ("deferred", status, reason, .temporary)
        case .unsent(let reason): ("unsent", nil, reason, unanswered)
        case .unknown(let reason): ("unknown", nil, reason, unanswered)
        }
    }
}
