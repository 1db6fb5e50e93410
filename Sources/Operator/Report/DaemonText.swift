import Core
import Service

/// A daemon in a report that may be passed on: without its host and without error texts.
enum DaemonText {
    static func isAlive(_ daemon: DaemonRow) -> Bool {
        daemon.isAlive
    }

    /// `alive`, or how long it was not seen.
    static func state(_ daemon: DaemonRow) -> String {
        isAlive(daemon) ? "alive" : "not seen for \(Elapsed.text(daemon.unseenMilliseconds / 1000))"
    }

    /// `production com.example.app: connected`, for each lane. Empty if the state can't be read.
    static func lanes(_ daemon: DaemonRow) -> String {
        guard let state = DaemonState(json: daemon.state) else { return "" }
        return state.lanes.map { lane in
            "\(lane.lane.environment) \(lane.lane.topic)\(lane.otherServer == nil ? "" : ", not Apple's server"): "
                + lane.state.text
        }.joined(separator: "; ")
    }
}
