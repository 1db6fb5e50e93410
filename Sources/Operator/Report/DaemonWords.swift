import Planning
import Service
import Store

/// A daemon on a page that travels: without its host, and without the words of errors.
enum DaemonWords {
    static func isAlive(_ daemon: DaemonRow) -> Bool {
        abs(daemon.unseenMilliseconds) < HeartbeatSchedule.aliveMilliseconds
    }

    /// `alive`, or since when not.
    static func state(_ daemon: DaemonRow) -> String {
        isAlive(daemon) ? "alive" : "not seen for \(Elapsed.words(daemon.unseenMilliseconds / 1000))"
    }

    /// `production com.example.app: connected`; empty where it can't be read.
    static func lanes(_ daemon: DaemonRow) -> String {
        guard let state = DaemonState(json: daemon.state) else { return "" }
        return state.lanes.map { "\($0.lane.environment) \($0.lane.topic): \($0.state.words)" }.joined(separator: "; ")
    }
}
