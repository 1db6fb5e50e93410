import FoundationEssentials
package import HTTP2
import Base

/// Checks a lane's key, team, topic and environment with one push to a token that no device has. Apple's refusal gives
/// the answer. No device is reached, in production or in the sandbox.
package enum LaneProbe {
    package enum Result: Sendable, Equatable {
        /// The provider token can't be signed. Nothing was dialled.
        case unsigned(String)
        /// No connection: why, as a code, and as a text with the remedy.
        case unreachable(CloseReason.Code, String)
        case unanswered(String)
        /// Apple's answer. `date`: the header `Date` as received.
        case answered(Answer, date: String?)
    }

    package struct Report: Sendable, Equatable {
        package let result: Result
        /// From the open connection to the end, in microseconds. 0 without a connection.
        package let trip: Int64
        /// The wall clock halfway through the trip, in microseconds since 1970.
        package let askedAt: Int64
    }

    /// A token that no device has. Apple checks provider token and topic first, then answers BadDeviceToken.
    static let token = String(repeating: "0", count: 64)

    /// Connects, sends the push and closes the connection. Takes at most `connectTimeout` and `requestDeadline`
    /// together.
    package static func run(_ configuration: SenderConfiguration, clock: SenderClock = .system) async -> Report {
        let template: RequestTemplate
        let pushes: PushBatch
        do throws(APNsError) {
            let token = try configuration.providerToken(issuedAt: clock.wall() / 1_000)
            let authority = configuration.authority
            template = PushBatch.template(.alert, topic: configuration.topic, token: token, authority: authority)
            pushes = try Self.pushes(configuration, clock)
        } catch {
            return Report(result: .unsigned(error.description), trip: 0, askedAt: clock.wall() * 1_000)
        }
        var client = configuration.client
        client.keptFields = ["retry-after", "date"]
        client.label = "apns-probe"
        let ear = Ear(clock)
        let connection = ClientConnection(configuration: client) { ear.hear($0) }
        let report = await withCheckedContinuation { continuation in
            ear.listen(continuation)
            // A connection accepts everything before it is started.
            connection.submit(pushes.requests, nil, template, firstTag: 0)
            connection.start()
        }
        connection.close()
        return report
    }

    /// The same request as for any push of the lane.
    private static func pushes(
        _ configuration: SenderConfiguration,
        _ clock: SenderClock
    ) throws(APNsError) -> PushBatch {
        let payload = try Notification(title: "nudged", body: "No device has this token.").rendered()
        var pushes = PushBatch(topic: configuration.topic)
        pushes.append(
            token: token,
            expiration: 0,
            apnsID: UUID(),
            writeBy: clock.now() + configuration.client.connectTimeout + configuration.client.requestDeadline
        ) { $0 += payload }
        return pushes
    }

    /// Receives the connection's events and reports the result once.
    private final class Ear: Sendable {
        private struct State: Sendable {
            /// The wall clock when the connection opened, in milliseconds.
            var opened: Int64?
            var continuation: CheckedContinuation<Report, Never>?
        }

        private let clock: SenderClock
        private let state = Mutex(State())

        init(_ clock: SenderClock) { self.clock = clock }

        func listen(_ continuation: CheckedContinuation<Report, Never>) {
            state.withLock { $0.continuation = continuation }
        }

        /// Called on the connection's thread.
        func hear(_ event: ClientEvent) {
            switch event {
            case .opened:
                let now = clock.wall()
                state.withLock { $0.opened = now }
            case .capacity, .goaway: break
            case .completions(let completions):
                for completion in completions { complete(completion.result) }
            case .closed(let reason):
                let wasOpen = state.withLock { $0.opened != nil }
                settle(wasOpen ? .unanswered("\(reason)") : .unreachable(reason.code, "\(reason)"))
            }
        }

        private func complete(_ result: RequestResult) {
            switch result {
            case .response(let response): settle(.answered(Answer(response), date: response.headers["date"]))
            // The connection broke. Its `closed` event comes next and gives a better reason.
            case .unsent(.connectionLost), .unsent(.closed), .unsent(.goaway), .unknown(.connectionLost),
                .unknown(.closed):
                break
            case .unsent, .unknown: settle(.unanswered("no answer in time"))
            }
        }

        private func settle(_ result: Result) {
            let now = clock.wall()
            let (opened, continuation) = state.withLock { state in
                defer { state.continuation = nil }
                return (state.opened ?? now, state.continuation)
            }
            continuation?.resume(
                returning: Report(result: result, trip: (now - opened) * 1_000, askedAt: (now + opened) * 500)
            )
        }
    }
}
