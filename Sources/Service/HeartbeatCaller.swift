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
            do throws(HTTPClientError) {
                let status = try await client.send(HTTPRequest(get: url)).status
                end(fault: (200...299).contains(status) ? nil : "\(url) answers with status \(status)")
            } catch {
                // It names hosts, files and the system's error, but never the path. This daemon's own end is no fault.
                if error.code != .closed, error.code != .cancelled { end(fault: error.description) }
            }
        }
    }

    private func end(fault: String?) {
        if let news = pace.withLock({ $0.end(fault: fault) }) { onNews(news) }
    }

    func close() async { await client.close() }
}

/// Decides when to call the heartbeat's address and what to report. Instants are milliseconds of CLOCK_BOOTTIME.
struct HeartbeatPace: Sendable {
    enum News: Sendable, Equatable {
        case failed(String)
        case answered
    }

    /// The least milliseconds from one call to the next.
    let interval: Int64
    private var lastBegun: Int64?
    private var isCalling = false
    private var isFailing = false

    init(interval: Int64) { self.interval = interval }

    /// A sweep was good. Returns whether to call now. End each call that was begun.
    mutating func begin(now: Int64) -> Bool {
        if isCalling { return false }
        if let lastBegun, now - lastBegun < interval { return false }
        lastBegun = now
        isCalling = true
        return true
    }

    /// Ends a call. nil: there is nothing new to report.
    ///
    /// - Parameter fault: why it failed. nil: it was answered.
    mutating func end(fault: String?) -> News? {
        isCalling = false
        let wasFailing = isFailing
        isFailing = fault != nil
        if let fault { return wasFailing ? nil : .failed(fault) }
        return wasFailing ? .answered : nil
    }
}
