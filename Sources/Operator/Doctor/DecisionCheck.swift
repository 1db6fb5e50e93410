import Configuration
import Core
import HTTPClient

/// Whether the decision service can be reached. The request is a GET without the token and names no user.
enum DecisionCheck {
    private static let patience = Duration.seconds(5)

    static func run(_ configuration: Configuration?) async -> Finding {
        guard let configuration else { return .unchecked("the configuration can't be used") }
        guard let decision = configuration.decision else { return .ok("no decision service is configured") }
        let url: HTTPURL
        do throws(ConfigurationFault) {
            url = try Decider.checked(decision.url, token: decision.token?.text)
        } catch {
            return .error("\(error.key): \(error.what)").fix(error.remedy)
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
            let status = try answer.get().status
            let verified = url.isEncrypted ? "; its certificate is verified" : ""
            let text = "\(url) answers with status \(status) to a GET that names no user\(verified)"
            return status < 500 ? .ok(text) : .warning(text).fix("see the service's own log")
        } catch {
            return .error("\(error); until it answers, each user's fallback_strategy decides", .unavailable)
                .fix("check decision.url, and that the service runs; for a private authority set decision.caFile")
        }
    }
}
