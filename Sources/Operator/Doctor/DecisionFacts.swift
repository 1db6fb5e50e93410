import Configuration
import Delivery
import HTTPClient
import Systemd

/// Whether the decision service can be reached. It is not asked about anybody: a GET, without the token, shows the way there and who answers.
enum DecisionFacts: Sendable {
    case notConfigured
    /// The configuration can't be used.
    case unknown
    /// Address, token or CA file can't be used.
    case refused(ConfigurationFault)
    case unreachable(HTTPClientError)
    /// It answered with this status; `isVerified`: over https.
    case answered(Int, origin: String, isVerified: Bool)

    private static let place = Finding.Place(.decision, "connection")
    private static let patience = Duration.seconds(5)

    var finding: Finding {
        switch self {
        case .notConfigured: return Self.place.ok("none is configured: no service is asked")
        case .unknown: return Self.place.unchecked("the configuration can't be used")
        case .refused(let fault):
            return Self.place.error("\(fault.key): \(fault.what)", mend: fault.mend, .configuration)
        case .unreachable(let error):
            return Self.place.error(
                "\(error); each user's fallback strategy decides meanwhile",
                mend:
                    "see that decision.url is right and that the service runs; a private authority is named by decision.caFile",
                .unavailable
            )
        case .answered(let status, let origin, let isVerified):
            let words =
                "\(origin) answers\(isVerified ? ", its certificate verified" : "") (status \(status) to a GET; it was asked about nobody)"
            guard status >= 500 else { return Self.place.ok(words) }
            return Self.place.warning(words, mend: "see the service's own log: it has trouble")
        }
    }

    /// Calls once.
    static func ask(_ configuration: Configuration?) async -> DecisionFacts {
        guard let configuration else { return .unknown }
        guard let decision = configuration.decision else { return .notConfigured }
        let url: HTTPURL
        do throws(ConfigurationFault) {
            url = try Decider.checked(decision.url, token: decision.token?.text)
        } catch {
            return .refused(error)
        }
        var settings = HTTPClientSettings()
        settings.caFile = decision.caFile
        settings.concurrency = 1
        settings.deadline = patience
        do throws(HTTPClientError) {
            let client = try HTTPClient(settings)
            let answer: Result<HTTPResponse, HTTPClientError>
            do throws(HTTPClientError) {
                answer = .success(try await client.send(HTTPRequest(get: url)))
            } catch {
                answer = .failure(error)
            }
            await client.close()
            return .answered(try answer.get().status, origin: "\(url)", isVerified: url.isEncrypted)
        } catch {
            return .unreachable(error)
        }
    }
}
