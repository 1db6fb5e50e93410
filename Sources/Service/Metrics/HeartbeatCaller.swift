import Configuration
import Delivery
import HTTPClient
import Synchronization

/// Calls the heartbeat's address after good sweeps: `HeartbeatPace` decides, this performs. No sweep waits for it, and one call is under way at most.
package final class HeartbeatCaller: Sendable {
    let settings: Configuration.Heartbeat
    private let url: HTTPURL
    private let client: HTTPClient
    private let pace: Mutex<HeartbeatPace>
    private let onNews: @Sendable (HeartbeatPace.News) -> Void

    /// For the whole call; services of this kind answer within a second.
    private static let deadline = Duration.seconds(10)

    /// - Parameter onNews: hears when calls begin to fail, and when they are answered again; in words without the address's path.
    /// - Throws: where address or CA file can't be used, or the system has no thread left.
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
                mend: "name a readable file of certificates, or raise the unit's limits"
            )
        }
    }

    /// The address, where it can be used: whoever knows its path can call it, so it goes over https, or to this machine.
    static func checked(_ text: String) throws(ConfigurationFault) -> HTTPURL {
        let mend = "write https://host/path"
        let url: HTTPURL
        do throws(HTTPClientError) {
            url = try HTTPURL(text)
        } catch {
            throw ConfigurationFault(key: "heartbeat.url", what: "\(error)", mend: mend)
        }
        guard url.isEncrypted || url.isLoopback else {
            throw ConfigurationFault(
                key: "heartbeat.url",
                what: "its path is a secret, which is not sent to \(url) unencrypted",
                mend: "\(mend); http:// serves only where the host is this machine (localhost, 127.0.0.1, [::1])"
            )
        }
        return url
    }

    /// A sweep was good. Returns at once.
    func sweepWasGood() {
        guard pace.withLock({ $0.begin(now: BootTime.milliseconds()) }) else { return }
        Task {
            // Its own stop is no failure of the service's.
            guard let fault = await call() else { return }
            if let news = pace.withLock({ $0.end(fault: fault.words) }) { onNews(news) }
        }
    }

    /// Ends the call under way.
    func close() async { await client.close() }

    /// What became of a call.
    private struct Outcome {
        /// nil: it was answered.
        let words: String?
    }

    /// nil: the caller was closed meanwhile.
    private func call() async -> Outcome? {
        do throws(HTTPClientError) {
            let response = try await client.send(HTTPRequest(get: url))
            let isGood = (200...299).contains(response.status)
            return Outcome(words: isGood ? nil : "\(url) answers with status \(response.status)")
        } catch {
            if error.code == .closed || error.code == .cancelled { return nil }
            // Hosts, files and the system's words: never the path.
            return Outcome(words: error.description)
        }
    }
}
