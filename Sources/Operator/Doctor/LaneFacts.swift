import Core
import APNs
import Systemd
import TimeZones

/// Apple's answer to a lane.
struct LaneFacts: Sendable {
    let lane: LaneIdentity
    let keyID: String
    let teamID: String
    let server: SenderConfiguration.Endpoint
    let result: LaneProbe.Result
    /// This machine's clock in the middle of the round trip, in microseconds since 1970; and the round trip in
    /// microseconds.
    let askedAt: Int64
    let trip: Int64

    private var place: (key: Finding.Place, connection: Finding.Place, answer: Finding.Place, clock: Finding.Place) {
        (checkPlace("key"), checkPlace("connection"), checkPlace("answer"), checkPlace("clock"))
    }

    private func checkPlace(_ check: String) -> Finding.Place { Finding.Place(.apple, check, of: lane.text) }

    /// Who answers, at the beginning of a text.
    private var name: String { server.isApples ? "Apple" : "the server" }

    var findings: [Finding] { elsewhere + answers }

    /// The owner of another server gets the provider token, the device tokens and the texts.
    private var elsewhere: [Finding] {
        guard !server.isApples else { return [] }
        let endpoint = checkPlace("endpoint")
        return [
            endpoint.warning(
                "pushes go to \(server), which is not Apple's: its owner sees tokens and texts",
                remedy: "remove apns.endpoint, unless this is a test"
            )
        ]
    }

    private var answers: [Finding] {
        let signed = place.key.ok("\(keyID) of team \(teamID): a P-256 key that signs")
        switch result {
        case .unsigned(let why):
            let remedy = "use the .p8 file of an APNs key from Apple's developer site"
            return [place.key.error(why, remedy: remedy, .configuration)]
                + unchecked("without a provider token nothing was sent")
        case .unreachable(let step, let why):
            return [signed, place.connection.error("\(step.text): \(why)", remedy: step.remedy(server), .unavailable)]
                + unchecked("there is no connection", afterConnection: true)
        case .unanswered(let why):
            return [
                signed, connected,
                place.answer.error(
                    "no answer: \(why)",
                    remedy: "run doctor again; if it repeats, check firewalls and proxies on the way",
                    .unavailable
                ),
                place.clock.unchecked("there is no answer"),
            ]
        case .answered(let answer, let date): return [signed, connected, checked(answer), clock(date)]
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

    private func checked(_ answer: Answer) -> Finding {
        let said = "\(name) answers \(answer.reason ?? "with status \(answer.status)")"
        switch answer.action {
        case .quarantine where answer.reason == "BadDeviceToken":
            return place.answer.ok(
                "\(name) accepts key, team, topic and environment: it refused only the token, "
                    + "which no device has (BadDeviceToken)"
            )
        case .accepted:
            return place.answer.warning(
                "the server accepted a push to a token that no device has; Apple would refuse it",
                remedy: "remove apns.endpoint, unless this is a test"
            )
        case .stopLane(let remedy): return place.answer.error(said, remedy: remedy, .configuration)
        case .refreshToken:
            return place.answer.error(
                "\(said) to a provider token that was just signed",
                remedy: "correct this machine's clock (timedatectl set-ntp true)",
                .configuration
            )
        case .newConnection:
            return place.answer.error(
                said,
                remedy: "use one key for this topic: apns.keyId belongs to another team than the key of earlier pushes",
                .configuration
            )
        case .restConnection, .delayDevice:
            return place.answer.warning(
                "\(said): there were too many requests",
                remedy: "run doctor again in twenty minutes"
            )
        case .backOff, .reconnect:
            return place.answer.warning(
                "\(said): \(name) has trouble",
                remedy: "run doctor again later; see developer.apple.com/system-status"
            )
        case .quarantine:
            return place.answer.error(
                said,
                remedy: "set apns.bundleId to the app's bundle id, and use a key that may send for it",
                .configuration
            )
        case .deleteToken, .rejectNudge, .ourBug, .reject:
            return place.answer.warning(
                "\(said), which says nothing about key and topic",
                remedy: "run nudged send-test --user UUID, which says more"
            )
        }
    }

    private func clock(_ date: String?) -> Finding {
        guard let date else { return place.clock.unchecked("\(name)'s answer has no date") }
        guard let instant = Instant(httpDate: date) else {
            return place.clock.unchecked("\(name)'s date can't be read")
        }
        // Apple's date has whole seconds, cut off. So half a second is added, and half a second is uncertain.
        let skew = ClockSkew(ahead: instant.seconds * 1_000_000 + 500_000 - askedAt, margin: trip / 2 + 500_000)
        return skew.finding(place.clock, whose: "\(name)'s")
    }
}

extension LaneProbe.Step {
    fileprivate var text: String {
        switch self {
        case .name: "the host name has no address"
        case .connection: "no TCP connection"
        case .handshake: "no TLS"
        case .certificate: "the certificate is refused"
        case .protocolNegotiation: "no HTTP/2"
        }
    }

    fileprivate func remedy(_ server: SenderConfiguration.Endpoint) -> String {
        switch self {
        case .name: "check /etc/resolv.conf, and that this machine reaches its name servers (resolvectl query)"
        case .connection: "allow connections to \(server): firewall, route, and IPAddressAllow= of the unit"
        case .handshake: "check firewalls and proxies on the way: they must pass connections to \(server) unchanged"
        case .certificate:
            "let no firewall inspect connections to \(server); for a server of your own, "
                + "name its authority in apns.caFile"
        case .protocolNegotiation: "connect to \(server) without a proxy that speaks only HTTP/1.1"
        }
    }
}

extension LaneFacts {
    /// Milliseconds for connecting, and for the answer.
    private static let patience: Int64 = 5_000

    /// Sends one push to a token that no device has.
    static func ask(_ lane: SenderConfiguration) async -> LaneFacts {
        var sender = lane
        sender.client.connectTimeout = patience
        sender.client.requestDeadline = patience
        let report = await LaneProbe.run(sender)
        return LaneFacts(
            lane: lane.identity,
            keyID: sender.keyID,
            teamID: sender.teamID,
            server: sender.server,
            result: report.result,
            askedAt: report.askedAt,
            trip: report.trip
        )
    }
}
