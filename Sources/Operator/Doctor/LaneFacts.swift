import Delivery
import Planning
import APNs
import Systemd
import TimeZones

/// What Apple says to a lane.
struct LaneFacts: Sendable {
    let lane: LaneIdentity
    let keyID: String
    let teamID: String
    /// Host and port.
    let server: String
    let result: LaneProbe.Result
    /// Microseconds since 1970 of this machine in the middle of the question's trip, and what the trip took.
    let askedAt: Int64
    let trip: Int64

    private var place: (key: Finding.Place, connection: Finding.Place, answer: Finding.Place, clock: Finding.Place) {
        func place(_ check: String) -> Finding.Place { Finding.Place(.apple, check, of: lane.words) }
        return (place("key"), place("connection"), place("answer"), place("clock"))
    }

    var findings: [Finding] {
        let signed = place.key.ok("\(keyID) of team \(teamID): a P-256 key, and it signs")
        switch result {
        case .unsigned(let why):
            let mend = "give the .p8 file of a key for the push service from Apple's developer site"
            return [place.key.error(why, mend: mend, .configuration)]
                + unchecked("nothing was sent without a provider token")
        case .unreachable(let step, let why):
            return [signed, place.connection.error("\(step.words): \(why)", mend: step.mend(server), .unavailable)]
                + unchecked("there is no connection", afterConnection: true)
        case .unanswered(let why):
            return [
                signed, connected,
                place.answer.error(
                    "no answer: \(why)",
                    mend: "try again; if it stays so, see what stands between",
                    .unavailable
                ),
                place.clock.unchecked("there is no answer"),
            ]
        case .answered(let answer, let date): return [signed, connected, judged(answer), clock(date)]
        }
    }

    private var connected: Finding {
        place.connection.ok("\(server): name, TCP, TLS (certificate verified) and HTTP/2")
    }

    private func unchecked(_ why: String, afterConnection: Bool = false) -> [Finding] {
        (afterConnection ? [] : [place.connection.unchecked(why)]) + [
            place.answer.unchecked(why), place.clock.unchecked(why),
        ]
    }

    // MARK: The answer to a token that nobody has

    private func judged(_ answer: Answer) -> Finding {
        let said = "Apple answers \(answer.reason ?? "with status \(answer.status)")"
        switch answer.action {
        case .quarantine where answer.reason == "BadDeviceToken":
            return place.answer.ok(
                "key, team, topic and environment are taken: a token that no device has was refused as that (BadDeviceToken)"
            )
        case .accepted:
            return place.answer.warning(
                "the server took a push to a token that no device has: Apple does not",
                mend: "leave apns.endpoint out where it is not meant"
            )
        case .stopLane(let mend): return place.answer.error(said, mend: mend, .configuration)
        case .refreshToken:
            return place.answer.error(
                "\(said) to a provider token that was just signed",
                mend: "set this machine's clock right (timedatectl set-ntp true)",
                .configuration
            )
        case .newConnection:
            return place.answer.error(
                said,
                mend: "use one key for this topic: apns.keyId is of another team than earlier pushes",
                .configuration
            )
        case .restConnection, .delayDevice:
            return place.answer.warning(
                "\(said): it wants to be asked less often",
                mend: "run it again in twenty minutes"
            )
        case .backOff, .reconnect:
            return place.answer.warning(
                "\(said): it has trouble of its own",
                mend: "run it again later; developer.apple.com/system-status knows more"
            )
        case .quarantine:
            return place.answer.error(
                said,
                mend: "set apns.bundleId to the app's bundle id, and use a key that may send for it",
                .configuration
            )
        case .deleteToken, .rejectNudge, .ourBug, .reject:
            return place.answer.warning(
                "\(said), which tells nothing of key and topic",
                mend: "nudged send-test --user UUID tells more"
            )
        }
    }

    private func clock(_ date: String?) -> Finding {
        guard let date else { return place.clock.unchecked("Apple's answer bears no date") }
        guard let instant = Instant(httpDate: date) else { return place.clock.unchecked("Apple's date can't be read") }
        // It says whole seconds, cut off: half a second later, and half a second either way.
        let skew = ClockSkew(ahead: instant.seconds * 1_000_000 + 500_000 - askedAt, margin: trip / 2 + 500_000)
        return skew.finding(place.clock, whose: "Apple's")
    }
}

extension LaneProbe.Step {
    fileprivate var words: String {
        switch self {
        case .name: "the name has no address"
        case .connection: "no TCP connection"
        case .handshake: "no TLS"
        case .certificate: "the certificate is refused"
        case .protocolNegotiation: "no HTTP/2"
        }
    }

    fileprivate func mend(_ server: String) -> String {
        switch self {
        case .name: "see /etc/resolv.conf, and whether this machine reaches its name servers (resolvectl query)"
        case .connection: "let \(server) pass: firewall, IPAddressAllow= of the unit, route"
        case .handshake: "see what stands between: let \(server) pass unchanged"
        case .certificate:
            "let \(server) pass without inspection; a server of your own: name its authority as apns.caFile"
        case .protocolNegotiation: "let \(server) pass without a proxy that speaks HTTP/1.1 only"
        }
    }
}

extension LaneFacts {
    /// A step has so long.
    private static let patience: Int64 = 5_000

    /// Asks Apple by one push to a token that no device has.
    static func ask(_ lane: LaneConfiguration) async -> LaneFacts {
        var sender = lane.sender
        sender.connectTimeout = patience
        sender.requestDeadline = patience
        let report = await LaneProbe.run(sender)
        return LaneFacts(
            lane: lane.identity,
            keyID: sender.keyID,
            teamID: sender.teamID,
            server: "\(sender.host):\(sender.port)",
            result: report.result,
            askedAt: report.askedAt,
            trip: report.trip
        )
    }
}
