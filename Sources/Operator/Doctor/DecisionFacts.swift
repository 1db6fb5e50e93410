import Configuration
import Core
import HTTPClient
import Systemd

/// Whether the decision service can be reached. The request is a GET without the token and names no user.
enum DecisionFacts: Sendable {
    case notConfigured
    /// The configuration can't be used.
    case unknown
    /// The address, the token or the CA file can't be used.
    case refused(ConfigurationFault)
    case unreachable(HTTPClientError)
    /// The service answered with this status. `isVerified`: over https.
    case answered(Int, origin: String, isVerified: Bool)

    private static let place = Finding.Place(.decision, "connection")
    private static let patience = Duration.seconds(5)

    var finding: Finding {
        switch self {
        case .notConfigured: return Self.place.ok("no decision service is configured")
        case .unknown: return Self.place.unchecked("the configuration can't be used")
        case .refused(let fault):
            return Self.place.error("\(fault.key): \(fault.what)", remedy: fault.remedy, .configuration)
        case .unreachable(let error):
            return Self.place.error(
                "\(error); until it answers, each user's fallback_strategy decides",
                remedy: "check decision.url, and that the service runs; for a private authority set decision.caFile",
                .unavailable
            )
        case .answered(let status, let origin, let isVerified):
            let text =
                "\(origin) answers with status \(status) to a GET that names no user"
                + (isVerified ? "; its certificate is verified" : "")
            guard status >= 500 else { return Self.place.ok(text) }
            return Self.place.warning(text, remedy: "see the service's own log")
        }
    }

    /// Sends one request.
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
