import Base
import Configuration
import Core
import HTTPClient
import Synchronization

/// Calls the heartbeat's address after good sweeps. No sweep waits for a call, and only one call runs at a time.
package final class HeartbeatCaller: Sendable {
    let settings: Configuration.Heartbeat
    private let url: HTTPURL
    private let client: HTTPClient
    private let state: Mutex<(pace: Pace, isFailing: Bool)>
    private let tell: @Sendable (String?) -> Void

    /// For the whole call. Such services answer within a second.
    private static let deadline = Duration.seconds(10)

    /// - Parameter tell: called with the fault when calls begin to fail, and with nil when they work again. The text
    ///   never contains the address's path.
    /// - Throws: if the address or CA file can't be used, or the system can't start a thread.
    init(_ settings: Configuration.Heartbeat, tell: @escaping @Sendable (String?) -> Void) throws(ConfigurationFault) {
        self.settings = settings
        self.tell = tell
        url = try Self.checked(settings.url.text)
        state = Mutex((Pace(interval: settings.interval.milliseconds), false))
        client = try Self.service.client(caFile: settings.caFile, concurrency: 1, deadline: Self.deadline)
    }

    private static let service = OutsideService("heartbeat")

    /// The address, if it can be used. Its path is a secret, so it must be called over https or on this machine.
    static func checked(_ text: String) throws(ConfigurationFault) -> HTTPURL {
        try service.address(text) { "its path is a secret, so it is not sent to \($0) unencrypted" }
    }

    func sweepWasGood() {
        guard state.withLock({ $0.pace.begin(now: BootTime.milliseconds()) }) else { return }
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
        let isFailing = fault != nil
        let isNews = state.withLock { state in
            state.pace.end(now: BootTime.milliseconds())
            return exchange(&state.isFailing, with: isFailing) != isFailing
        }
        if isNews { tell(fault) }
    }

    func close() async { await client.close() }
}
