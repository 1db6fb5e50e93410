import Base
package import Configuration
import Glibc
package import HTTPClient
package import JSON
import Synchronization
package import TimeZones

/// Calls the decision service (docs/DECISION.md). `CircuitBreaker` decides whether to call, this class performs it. A
/// changed configuration gets a new decider. Questions to the old one are still answered.
package final class Decider: Sendable {
    private struct State {
        var breaker = CircuitBreaker()
        var status: DecisionStatus
    }

    package let settings: Configuration.Decision
    private let url: HTTPURL
    private let client: HTTPClient
    private let clock: PolicyClock
    private let onChange: @Sendable (DecisionStatus) -> Void
    private let state: Mutex<State>

    /// `onChange` is called when the service begins or stops to count as dead. Throws if a setting can't be used.
    package init(
        _ settings: Configuration.Decision,
        clock: PolicyClock,
        onChange: @escaping @Sendable (DecisionStatus) -> Void
    ) throws(ConfigurationFault) {
        (self.settings, self.clock, self.onChange) = (settings, clock, onChange)
        url = try Self.checked(settings.url, token: settings.token?.text)
        // Previews have their own connections. Otherwise a nudge's question could wait behind them until its time-out.
        let concurrency = settings.concurrency + PreviewStage.mostAtOnce
        client = try Self.service.client(caFile: settings.caFile, concurrency: concurrency, deadline: settings.timeout)
        state = Mutex(State(status: DecisionStatus(since: clock.now)))
    }

    /// The address, if it and the token can be used. Users' texts are sent only over https or to this machine.
    package static func checked(_ text: String, token: String?) throws(ConfigurationFault) -> HTTPURL {
        let url = try service.address(text) { "users' texts are not sent to \($0) unencrypted" }
        do throws(HTTPClientError) {
            _ = try HTTPRequest(post: [], to: url, contentType: contentType, bearerToken: token)
            return url
        } catch {
            let remedy = "give the token exactly as the service issued it"
            throw ConfigurationFault(key: "decision.token", what: "\(error)", remedy: remedy)
        }
    }

    private static let service = OutsideService("decision")
    private static let contentType = "application/json"

    package var status: DecisionStatus { state.withLock(\.status) }

    var isResting: Bool { state.withLock { $0.breaker.isResting(now: BootTime.milliseconds()) } }
    /// Whether the service counts as dead. No preview is sent to it then, not even to probe it.
    var isDead: Bool { state.withLock(\.breaker.isOpen) }

    func pass() -> CircuitBreaker.Pass? { state.withLock { $0.breaker.pass(now: BootTime.milliseconds()) } }

    func giveBack(_ pass: CircuitBreaker.Pass) { end(pass, .abandoned, fault: nil) }

    /// Within `decision.timeout`. A preview has no pass: its text, from any user, must not make the service count as
    /// dead.
    func ask(_ question: DecisionQuestion, _ pass: CircuitBreaker.Pass?) async -> DecisionResult {
        let (body, token) = (question.json, settings.token?.text)
        do throws(HTTPClientError) {
            let request = try HTTPRequest(post: body, to: url, contentType: Self.contentType, bearerToken: token)
            let response = try await client.send(request)
            let result = Result { () throws(DecisionFailure) -> DecisionAnswer in
                guard response.status == 200 else { throw DecisionFailure.status(response.status) }
                return try DecisionAnswer(parsing: response.body, hiding: [question.title, question.body])
            }
            switch result {
            case .success: end(pass, .answered, fault: nil)
            case .failure(let failure): end(pass, failure.outcome, fault: failure.text)
            }
            return result
        } catch {
            let failure = DecisionFailure(error)
            // Names host, file and the system's error, so it says what to fix.
            end(pass, failure.outcome, fault: error.description)
            return .failure(failure)
        }
    }

    package func close() async { await client.close() }

    private func end(_ pass: CircuitBreaker.Pass?, _ outcome: CircuitBreaker.Outcome?, fault: String?) {
        guard let pass else { return }
        let news = state.withLock { state -> DecisionStatus? in
            let before = state.status
            state.breaker.end(pass, outcome ?? .abandoned, now: BootTime.milliseconds(), jitter: .random(in: 0...1))
            state.status.note(fault: state.breaker.isOpen ? fault ?? before.reason : nil, now: clock.now)
            return state.status.state == before.state ? nil : state.status
        }
        if let news { onChange(news) }
    }
}

extension DecisionFailure {
    init(_ error: HTTPClientError) {
        self =
            switch error.code {
            case .timedOut: .timedOut
            case .brokenOff, .malformed, .tooLarge: .unreadable
            case .queueFull: .busy
            case .cancelled, .closed: .stopped
            case .invalidRequest, .trustFile, .unresolved, .unreachable, .certificate, .handshake, .resources, .library:
                .unreachable
            }
    }
}

/// The decision service's state for `nudged status`: in use or replaced by fallback strategies, since when, and why.
package struct DecisionStatus: Sendable, Equatable {
    package static let active = "active"
    static let fallback = "using fallback"

    /// Not an enum, so that the name from a newer daemon is shown as it is.
    package private(set) var state = Self.active
    /// Since when the state holds. nil until a clock was read.
    package private(set) var since: Instant?
    /// Why the service isn't used. Always nudged's own text, never the service's.
    package private(set) var reason: String?

    init(since: Instant?) { self.since = since }

    /// - Parameter fault: why the service isn't used. nil: it is used.
    mutating func note(fault: String?, now: Instant?) {
        let next = fault == nil ? Self.active : Self.fallback
        if next != state { since = now }
        since = since ?? now
        state = next
        reason = fault
    }

    package var fields: Fields { ["state": state, "since": since?.rfc3339, "reason": reason?.oneLine] }

    package init?(_ json: JSONValue) {
        guard let state = json["state"]?.text else { return nil }
        self.state = state
        since = json["since"]?.text.flatMap { Instant(rfc3339: $0) }
        reason = json["reason"]?.text
    }
}

/// A service that the operator runs and nudged calls. Its part of the configuration: `decision` or `heartbeat`.
package struct OutsideService {
    private let part: String

    package init(_ part: String) { self.part = part }

    /// The address, if it can be used: over https, or on this machine. `secret` says what would be sent to it.
    package func address(_ text: String, secret: (HTTPURL) -> String) throws(ConfigurationFault) -> HTTPURL {
        let remedy = "write https://host/path"
        let url: HTTPURL
        do throws(HTTPClientError) {
            url = try HTTPURL(text)
        } catch { throw ConfigurationFault(key: "\(part).url", what: "\(error)", remedy: remedy) }
        guard url.isEncrypted || url.isLoopback else {
            let local = "http:// is allowed only for this machine (localhost, 127.0.0.1, [::1])"
            throw ConfigurationFault(key: "\(part).url", what: secret(url), remedy: "\(remedy); \(local)")
        }
        return url
    }

    /// - Throws: if the CA file can't be used, or the system can't start a thread.
    package func client(caFile: String?, concurrency: Int, deadline: Duration) throws(ConfigurationFault) -> HTTPClient
    {
        var settings = HTTPClientSettings()
        (settings.caFile, settings.concurrency, settings.deadline) = (caFile, concurrency, deadline)
        do throws(HTTPClientError) {
            return try HTTPClient(settings)
        } catch {
            let key = error.code == .trustFile ? "\(part).caFile" : "\(part).url"
            let remedy = "give a readable file of certificates, or raise the unit's limits"
            throw ConfigurationFault(key: key, what: "\(error)", remedy: remedy)
        }
    }
}
