import Core
import APNs
import Logging
import Systemd

extension Reporter {
    /// Reports an event of a lane's sender. Each line names the lane.
    func sender(_ event: SenderEvent, _ lane: LaneIdentity) {
        let (event, message, fields) = Self.line(event, lane)
        say(
            event,
            about: lane.text,
            message,
            fields.merging(["topic": "\(lane.topic)", "environment": "\(lane.environment)"]) { $1 }
        )
    }

    private typealias Line = (Event, String, Logger.Metadata)

    private static func line(_ event: SenderEvent, _ lane: LaneIdentity) -> Line {
        switch event {
        case .connectionOpened, .connectionLost, .connectionSilent, .goAway, .connectionResting:
            connectionLine(event, lane)
        case .laneStopped(let reason, let remedy):
            (
                .laneStopped, "sending for \(lane.text) is stopped, \(LaneStatus.cause(reason)): \(remedy)",
                ["reason": "\(reason)"]
            )
        case .laneResumed: (.laneResumed, "sending for \(lane.text) resumes", [:])
        case .tokenMinted(let keyID, let issuedAt):
            (
                .providerTokenMinted, "signed a provider token",
                ["key_id": "\(keyID)", "issued_at": "\(issuedAt)"]
            )
        case .storm(let count, let status, let reason):
            (
                .laneSlowed,
                "Apple answered \(Elapsed.counted(count, "push", "pushes")) for \(lane.text) "
                    + "with \(status) \(reason); sending slows down",
                ["count": "\(count)", "status": "\(status)", "reason": "\(reason)"]
            )
        case .ourBug(let status, let reason):
            (
                .ourBug, "Apple refused a push because of a bug in nudged: \(status) \(reason); please report it",
                ["status": "\(status)", "reason": "\(reason)"]
            )
        }
    }

    private static func connectionLine(_ event: SenderEvent, _ lane: LaneIdentity) -> Line {
        switch event {
        case .connectionOpened(let number, let streams, let server):
            (
                .connectionOpened,
                "connected to \(server.isApples ? "Apple" : "\(server), which is not Apple's,") for \(lane.text)",
                ["connection": "\(number)", "streams": "\(streams)", "server": "\(server)"]
            )
        case .connectionLost(let number, let why, let retry):
            (
                .connectionLost,
                "the connection for \(lane.text) ended: \(why)"
                    + (retry > 0 ? "; next try in \(retry) ms" : ""),
                ["connection": "\(number)"]
            )
        case .connectionSilent(let number, let unanswered):
            (
                .connectionLost,
                "nudged closes a connection for \(lane.text): "
                    + "\(unanswered) pushes in a row were not answered",
                ["connection": "\(number)"]
            )
        case .goAway(let number, let reason):
            (
                .goaway, "the server closes a connection for \(lane.text): \(reason)",
                ["connection": "\(number)", "reason": "\(reason)"]
            )
        default:
            (
                .connectionResting,
                "a connection for \(lane.text) sends nothing for 20 minutes (TooManyProviderTokenUpdates)", [:]
            )
        }
    }
}
