import Base
import Configuration
import Core
import HTTPClient
import Synchronization

/// Calls the heartbeat's address after good sweeps. `HeartbeatPace` decides when, this class performs it. No sweep
/// waits for a call, and only one call runs at a time.
package final class HeartbeatCaller: Sendable {
    let settings: Configuration.Heartbeat
    private let url: HTTPURL
    private let client: HTTPClient
    private let pace: Mutex<HeartbeatPace>
    private let onNews: @Sendable (HeartbeatPace.News) -> Void

    /// For the whole call. Such services answer within a second.
    private static let deadline = Duration.seconds(10)

    /// - Parameter onNews: called when calls begin to fail and when they work again. The text never contains the
    ///   address's path.
    /// - Throws: if the address or CA file can't be used, or the system can't start a thread.
    init(
        _ settings: Configuration.Heartbeat,
        onNews: @escaping @Sendable (HeartbeatPace.News) -> Void
    ) throws(ConfigurationFault) {
        self.settings = settings
        self.onNews = onNews
        url = try Self.checked(settings.url.text)
        pace = Mutex(HeartbeatPace(interval: settings.interval.milliseconds))
        var client = HTTPClientSettings()
        client.caFile = settings.caFile
        client.concurrency = 1
        client.deadline = Self.deadline
        do throws(HTTPClientError) {
            self.client = try HTTPClient(client)
        } catch {
            throw ConfigurationFault(
                key: error.code == .trustFile ? "heartbeat.caFile" : "heartbeat.url",
                what: "\(error)",
                remedy: "give a readable file of certificates, or raise the unit's limits"
            )
        }
    }

    /// The address, if it can be used. Its path is a secret, so it must be called over https or on this machine.
    static func checked(_ text: String) throws(ConfigurationFault) -> HTTPURL {
        let remedy = "write https://host/path"
        let url: HTTPURL
        do throws(HTTPClientError) {
            url = try HTTPURL(text)
        } catch {
            throw ConfigurationFault(key: "heartbeat.url", what: "\(error)", remedy: remedy)
        }
        guard url.isEncrypted || url.isLoopback else {
            throw ConfigurationFault(
                key: "heartbeat.url",
                what: "its path is a secret, so it is not sent to \(url) unencrypted",
                remedy: "\(remedy); http:// is allowed only for this machine (localhost, 127.0.0.1, [::1])"
            )
        }
        return url
    }

    /// Notes a good sweep. Returns at once.
    func sweepWasGood() {
        guard pace.withLock({ $0.begin(now: BootTime.milliseconds()) }) else { return }
        Task {
            // A call that this daemon cancels is not a failure.
            guard let fault = await call() else { return }
            if let news = pace.withLock({ $0.end(fault: fault.text) }) { onNews(news) }
        }
    }

    /// Ends the running call.
    func close() async { await client.close() }

    private struct Outcome {
        /// What failed. nil: it was answered.
        let text: String?
    }

    /// nil: the caller was closed meanwhile.
    private func call() async -> Outcome? {
        do throws(HTTPClientError) {
            let response = try await client.send(HTTPRequest(get: url))
            let isGood = (200...299).contains(response.status)
            return Outcome(text: isGood ? nil : "\(url) answers with status \(response.status)")
        } catch {
            if error.code == .closed || error.code == .cancelled { return nil }
            // Names hosts, files and the system's error, but never the path.
            return Outcome(text: error.description)
        }
    }
}
