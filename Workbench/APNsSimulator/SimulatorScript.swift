import Glibc
package import HTTP2Server
import JSON

/// The simulator's behaviour. The closures are called on the server's thread.
package struct SimulatorScript: Sendable {
    package var settings: SimulatorSettings
    /// Seconds since 1970. Checks the age of tokens and stamps accepted pushes.
    package var now: @Sendable () -> Int64
    /// The answer to a valid request for a token. `attempt` counts the token's, from 1. Nil accepts.
    package var perDevice: (@Sendable (_ token: String, _ attempt: Int) -> ScriptedAnswer?)?
    /// The answer to a valid request, by the push and its stream. If it returns nil, `perDevice` decides.
    package var perPush: (@Sendable (_ push: AcceptedPush, _ stream: Int32) -> ScriptedAnswer?)?
    /// Called for each accepted push, before its answer is written.
    package var onAccepted: (@Sendable (_ push: AcceptedPush) -> Void)?
    /// Called for each answer, and each request without one. The push is nil if the request was refused.
    package var onAnswered: (@Sendable (_ answer: AnsweredRequest, _ push: AcceptedPush?) -> Void)?

    package init(
        settings: SimulatorSettings = SimulatorSettings(),
        now: @escaping @Sendable () -> Int64 = { Int64(time(nil)) },
        perDevice: (@Sendable (_ token: String, _ attempt: Int) -> ScriptedAnswer?)? = nil
    ) {
        self.settings = settings
        self.now = now
        self.perDevice = perDevice
    }
}

package struct SimulatorSettings: Sendable {
    /// A provider key as registered with Apple. `pem` is its public or private half.
    package typealias ProviderKey = (keyID: String, teamID: String, pem: String)

    package var keys: [ProviderKey]
    package var checksProviderToken = true
    /// Topics that the keys may push to; empty allows any valid topic.
    package var topics: Set<String> = []
    /// MAX_CONCURRENT_STREAMS until the first accepted push, and after it, like Apple.
    package var firstStreams: UInt32 = 1
    package var streams: UInt32 = 1_000
    /// How far `iat` may be in the future, in seconds, since hosts' clocks differ.
    package var tokenLeeway: Int64 = 60
    /// Whether answers have a `date` by the script's clock, as Apple's do. A benchmark doesn't need it.
    package var saysDate = false
    package var recordsAll = true

    package init(keys: [ProviderKey] = []) { self.keys = keys }
}

package indirect enum ScriptedAnswer: Sendable, Equatable {
    /// 200, and the push is logged as accepted.
    case accept
    /// A status with Apple's JSON: the reason, `timestamp` (milliseconds since 1970). `Retry-After` in seconds.
    case answer(status: Int, reason: String, timestamp: Int64? = nil, retryAfter: Int? = nil)
    case rawBody(status: Int, bytes: [UInt8])
    /// A status and body, but the stream never ends.
    case unfinished(status: Int, bytes: [UInt8])
    case delay(Duration, then: ScriptedAnswer)
    /// Held until `APNsSimulator.release()`, then answered. So a test decides how long a push is in flight.
    case held(then: ScriptedAnswer)
    case silence
    /// RST_STREAM with this code (RFC 9113 section 7; 7 is REFUSED_STREAM).
    case reset(code: UInt32)
    /// The TCP connection is reset, or closed with FIN and without GOAWAY. There is no answer.
    case closeTCP
    case close
    /// GOAWAY, then the answer if this stream is not above the last stream id.
    case goAway(GoAwayExtent, code: UInt32 = 0, reason: String = "", then: ScriptedAnswer)
    case doing(ConnectionAction, then: ScriptedAnswer)
    /// Logs the push as accepted, whatever the answer is: Apple has the push, but its answer may not arrive.
    case accepted(then: ScriptedAnswer)

    /// 410 Unregistered. `timestamp`: since when the token is dead, in milliseconds since 1970.
    package static func unregistered(timestamp: Int64?) -> ScriptedAnswer {
        .answer(status: 410, reason: "Unregistered", timestamp: timestamp)
    }

    /// Which streams a GOAWAY names as processed: all (the first of two GOAWAYs), up to this request's, or those before.
    package enum GoAwayExtent: Sendable, Equatable {
        case none, afterThis, beforeThis

        func lastStream(_ stream: Int32) -> Int32 {
            switch self {
            case .none: Int32.max
            case .afterThis: stream
            // Client streams have odd numbers, so the one before is two less.
            case .beforeThis: max(0, stream - 2)
            }
        }
    }
}

extension ConnectionAction {
    /// The two GOAWAYs, with `{"reason":…}` as debug data.
    package static func shutdown(reason: String) -> ConnectionAction { .shutdown(debug: reasonJSON(reason)) }

    /// The header of a DATA frame of 100 bytes (RFC 9113 section 4.1) and three of its bytes, then FIN.
    package static let truncatedFrame = ConnectionAction.garbage([0, 0, 100, 0, 0, 0, 0, 0, 1, 1, 2, 3], closes: true)
}

func reasonJSON(_ reason: String, timestamp: Int64? = nil) -> String {
    if reason.isEmpty { return "" }
    guard let timestamp else { return Fields.text(["reason": reason]) }
    return Fields.text(["reason": reason, "timestamp": timestamp])
}
