import FoundationEssentials
package import HTTP2

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

    /// Connects, sends the push and closes. Takes at most `connectTimeout` and `requestDeadline` together.
    package static func run(_ configuration: SenderConfiguration, clock: SenderClock = .system) async -> Report {
        let template: RequestTemplate
        var pushes = PushBatch(topic: configuration.topic)
        do throws(APNsError) {
            let signed = try configuration.providerToken(issuedAt: clock.wall() / 1_000)
            let authority = configuration.authority
            template = PushBatch.template(.alert, topic: configuration.topic, token: signed, authority: authority)
            let payload = try Notification(title: "nudged", body: "No device has this token.").rendered()
            // The same request as for any push of the lane.
            pushes.append(
                token: Self.token,
                expiration: 0,
                apnsID: UUID(),
                writeBy: clock.now() + configuration.client.connectTimeout + configuration.client.requestDeadline
            ) { $0 += payload }
        } catch {
            return Report(result: .unsigned(error.description), trip: 0, askedAt: clock.wall() * 1_000)
        }
        var client = configuration.client
        client.keptFields = ["retry-after", "date"]
        client.label = "apns-probe"
        // Each event with the wall clock when it came, in milliseconds.
        let (events, ear) = AsyncStream<(event: ClientEvent, at: Int64)>.makeStream()
        let connection = ClientConnection(configuration: client) { ear.yield(($0, clock.wall())) }
        defer { connection.close() }
        // A connection accepts everything before it is started.
        connection.submit(pushes.requests, nil, template, firstTag: 0)
        connection.start()
        var opened: Int64?
        for await (event, now) in events {
            if case .capacity = event { opened = opened ?? now }
            guard let result = Self.result(of: event, wasOpen: opened != nil) else { continue }
            let start = opened ?? now
            return Report(result: result, trip: (now - start) * 1_000, askedAt: (now + start) * 500)
        }
        return Report(result: .unanswered("cancelled"), trip: 0, askedAt: clock.wall() * 1_000)
    }

    /// Nil: a later event gives the result.
    private static func result(of event: ClientEvent, wasOpen: Bool) -> Result? {
        switch event {
        case .capacity, .goaway: nil
        case .completions(let completions): completions.lazy.compactMap { result(of: $0.result) }.first
        case .closed(let reason): wasOpen ? .unanswered("\(reason)") : .unreachable(reason.code, "\(reason)")
        }
    }

    private static func result(of request: RequestResult) -> Result? {
        switch request {
        case .response(let response): .answered(Answer(response), date: response.headers["date"])
        // The connection broke. Its `closed` event comes next and gives a better reason.
        case .unsent(.connectionLost), .unsent(.closed), .unsent(.goaway), .unknown(.connectionLost), .unknown(.closed):
            nil
        case .unsent, .unknown: .unanswered("no answer in time")
        }
    }
}
