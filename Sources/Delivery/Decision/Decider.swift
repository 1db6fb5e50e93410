package import Configuration
import Planning
import Glibc
package import HTTPClient
import Synchronization
import TimeZones

/// Asks the decision service (docs/DECISION.md), and leaves a dead one alone: `CircuitBreaker` decides, this performs. One for a configuration; a changed
/// one gets another, and what was asked of the old one is still answered.
package final class Decider: Sendable {
    private struct State {
        var breaker = CircuitBreaker()
        var standing: DecisionStanding
    }

    package let settings: Configuration.Decision
    private let url: HTTPURL
    private let client: HTTPClient
    private let clock: PolicyClock
    private let onChange: @Sendable (DecisionStanding) -> Void
    private let state: Mutex<State>

    /// - Parameter onChange: hears when the service begins or ends to count as dead.
    /// - Throws: where address, token or CA file can't be used, or the system has no thread left.
    package init(
        _ settings: Configuration.Decision,
        clock: PolicyClock,
        onChange: @escaping @Sendable (DecisionStanding) -> Void
    ) throws(ConfigurationFault) {
        self.settings = settings
        self.clock = clock
        self.onChange = onChange
        url = try Self.checked(settings.url, token: settings.token?.text)
        var client = HTTPClientSettings()
        client.caFile = settings.caFile
        client.concurrency = settings.concurrency
        client.deadline = settings.timeout
        do throws(HTTPClientError) {
            self.client = try HTTPClient(client)
        } catch {
            throw ConfigurationFault(
                key: error.code == .trustFile ? "decision.caFile" : "decision.url",
                what: "\(error)",
                mend: "name a readable file of certificates, or raise the unit's limits"
            )
        }
        state = Mutex(State(standing: DecisionStanding(since: clock.now)))
    }

    /// The address, where it and the token can be used: what users are told goes over https, or to this machine.
    package static func checked(_ text: String, token: String?) throws(ConfigurationFault) -> HTTPURL {
        let mend = "write https://host/path"
        let url: HTTPURL
        do throws(HTTPClientError) {
            url = try HTTPURL(text)
            _ = try HTTPRequest(post: [], to: url, contentType: contentType)
        } catch {
            throw ConfigurationFault(key: "decision.url", what: "\(error)", mend: mend)
        }
        guard url.isEncrypted || url.isLoopback else {
            throw ConfigurationFault(
                key: "decision.url",
                what: "what users are told is not sent to \(url) unencrypted",
                mend: "\(mend); http:// serves only where the host is this machine (localhost, 127.0.0.1, [::1])"
            )
        }
        guard let token else { return url }
        do throws(HTTPClientError) {
            _ = try HTTPRequest(post: [], to: url, contentType: contentType, bearerToken: token)
            return url
        } catch {
            throw ConfigurationFault(
                key: "decision.token",
                what: "\(error)",
                mend: "give the token as the service issued it"
            )
        }
    }

    private static let contentType = "application/json"

    /// How it stands, for `nudged status`.
    package var standing: DecisionStanding { state.withLock(\.standing) }

    /// Whether nobody is to be asked now.
    var isResting: Bool { state.withLock { $0.breaker.isResting(now: BootTime.milliseconds()) } }

    /// Leave to ask once; nil: don't.
    func pass() -> CircuitBreaker.Pass? { state.withLock { $0.breaker.pass(now: BootTime.milliseconds()) } }

    /// The question was not asked after all.
    func giveBack(_ pass: CircuitBreaker.Pass) { end(pass, .abandoned, fault: nil) }

    /// Asks, within the deadline.
    func ask(_ question: DecisionQuestion, _ pass: CircuitBreaker.Pass) async -> Result<DecisionAnswer, DecisionFailure>
    {
        do throws(HTTPClientError) {
            let answer = try await client.send(
                HTTPRequest(
                    post: question.json,
                    to: url,
                    contentType: Self.contentType,
                    bearerToken: settings.token?.text
                )
            )
            return read(answer, question, pass)
        } catch {
            let failure = DecisionFailure(error)
            // Hosts, files and the system's words: the mend is in them.
            end(pass, failure.outcome, fault: error.description)
            return .failure(failure)
        }
    }

    /// Ends every question.
    func close() async { await client.close() }

    private func read(
        _ response: HTTPResponse,
        _ question: DecisionQuestion,
        _ pass: CircuitBreaker.Pass
    ) -> Result<DecisionAnswer, DecisionFailure> {
        let failure: DecisionFailure
        if response.status == 200 {
            do throws(DecisionNonsense) {
                let answer = try DecisionAnswer(parsing: response.body, hiding: [question.title, question.body])
                end(pass, .answered, fault: nil)
                return .success(answer)
            } catch {
                failure = .nonsense(error)
            }
        } else {
            failure = .status(response.status)
        }
        end(pass, failure.outcome, fault: failure.words)
        return .failure(failure)
    }

    private func end(_ pass: CircuitBreaker.Pass, _ outcome: CircuitBreaker.Outcome?, fault: String?) {
        let news = state.withLock { state -> DecisionStanding? in
            let before = state.standing
            state.breaker.end(
                pass,
                outcome ?? .abandoned,
                now: BootTime.milliseconds(),
                jitter: Double.random(in: 0...1)
            )
            state.standing.note(
                fault: state.breaker.isOpen ? fault ?? before.reason : nil,
                now: clock.now
            )
            return state.standing.state == before.state ? nil : state.standing
        }
        if let news { onChange(news) }
    }
}

extension DecisionFailure {
    /// What a call that came to nothing says of the service.
    init(_ error: HTTPClientError) {
        self =
            switch error.code {
            case .timedOut: .timedOut
            case .brokenOff, .malformed, .tooLarge: .unreadable
            case .queueFull: .busy
            case .cancelled, .closed: .stopped
            case .invalidRequest, .trustFile, .unresolved, .unreachable, .untrusted, .expired, .notYetValid,
                .hostMismatch, .refusedCertificate, .handshake, .resources, .library:
                .unreachable
            }
    }
}
