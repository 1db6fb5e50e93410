import APNs
import Core
import HTTP2
import TimeZones

struct LaneFacts: Sendable {
    let lane: LaneIdentity
    let keyID: String
    let teamID: String
    let server: SenderConfiguration.Endpoint
    let report: LaneProbe.Report

    static func ask(_ lane: SenderConfiguration) async -> LaneFacts {
        var sender = lane
        // Milliseconds.
        (sender.client.connectTimeout, sender.client.requestDeadline) = (5_000, 5_000)
        let (name, key, team) = (lane.identity, lane.keyID, lane.teamID)
        return LaneFacts(lane: name, keyID: key, teamID: team, server: lane.server, report: await LaneProbe.run(sender))
    }

    private var name: String { server.isApples ? "Apple" : "the server" }

    var findings: [Finding] {
        // The owner of another server gets the provider token, the device tokens and the texts.
        let elsewhere = Finding.warning("pushes go to \(server), which is not Apple's: its owner sees tokens and texts")
            .fix("remove apns.endpoint, unless this is a test")
        let all = (server.isApples ? [] : [("endpoint", elsewhere)]) + answers
        return all.map { $0.1.of(.apple, $0.0, lane.text) }
    }

    private var answers: [(String, Finding)] {
        let key = Finding.ok("\(keyID) of team \(teamID): a P-256 key that signs")
        let connection = Finding.ok("\(server): name, TCP, TLS (certificate verified) and HTTP/2")
        let again = "run doctor again; if it repeats, check firewalls and proxies on the way"
        let unsigned = "use the .p8 file of an APNs key from Apple's developer site"
        let (found, why): ([Finding], String) =
            switch report.result {
            case .unsigned(let why): ([.error(why).fix(unsigned)], "without a provider token nothing was sent")
            case .unreachable(let code, let why): ([key, unreachable(code, why)], "there is no connection")
            case .unanswered(let why):
                ([key, connection, .error("no answer: \(why)", .unavailable).fix(again)], "there is no answer")
            case .answered(let answer, let date): ([key, connection, checked(answer), clock(date)], "")
            }
        let checks = ["key", "connection", "answer", "clock"]
        return Array(zip(checks, found + checks.dropFirst(found.count).map { _ in Finding.unchecked(why) }))
    }

    private func unreachable(_ code: CloseReason.Code, _ why: String) -> Finding {
        let names = "check /etc/resolv.conf, and that this machine reaches its name servers (resolvectl query)"
        let allowed = "allow connections to \(server): firewall, route, and IPAddressAllow= of the unit"
        let authority = "for a server of your own, name its authority in apns.caFile"
        let inspected = "let no firewall inspect connections to \(server); \(authority)"
        let changed = "check firewalls and proxies on the way: they must pass connections to \(server) unchanged"
        let (what, fix): (String, String) =
            switch code {
            case .resolve: ("the host name has no address", names)
            case .connect: ("no TCP connection", allowed)
            case .certificate: ("the certificate is refused", inspected)
            case .noHTTP2: ("no HTTP/2", "connect to \(server) without a proxy that speaks only HTTP/1.1")
            default: ("no TLS", changed)
            }
        return .error("\(what): \(why)", .unavailable).fix(fix)
    }

    private func checked(_ answer: Answer) -> Finding {
        let said = "\(name) answers \(answer.reason ?? "with status \(answer.status)")"
        switch answer.action {
        case .quarantine where answer.reason == "BadDeviceToken":
            let token = "it refused only the token, which no device has (BadDeviceToken)"
            return .ok("\(name) accepts key, team, topic and environment: \(token)")
        case .accepted:
            return .warning("the server accepted a push to a token that no device has; Apple would refuse it")
                .fix("remove apns.endpoint, unless this is a test")
        case .stopLane(let remedy): return .error(said).fix(remedy)
        case .refreshToken:
            return .error("\(said) to a provider token that was just signed")
                .fix("correct this machine's clock (timedatectl set-ntp true)")
        case .newConnection:
            return .error(said)
                .fix("use one key for this topic: apns.keyId belongs to another team than the key of earlier pushes")
        case .restConnection, .delayDevice:
            return .warning("\(said): there were too many requests").fix("run doctor again in twenty minutes")
        case .backOff, .reconnect:
            return .warning("\(said): \(name) has trouble")
                .fix("run doctor again later; see developer.apple.com/system-status")
        case .quarantine:
            return .error(said).fix("set apns.bundleId to the app's bundle id, and use a key that may send for it")
        case .deleteToken, .ourBug, .reject:
            return .warning("\(said), which says nothing about key and topic")
                .fix("run nudged send-test --user UUID, which says more")
        }
    }

    private func clock(_ date: String?) -> Finding {
        guard let date else { return .unchecked("\(name)'s answer has no date") }
        guard let instant = Instant(httpDate: date) else { return .unchecked("\(name)'s date can't be read") }
        // Apple's date has whole seconds, cut off. So half a second is added, and half a second is uncertain.
        let ahead = instant.seconds * 1_000_000 + 500_000 - report.askedAt
        return .clock(whose: "\(name)'s", ahead: ahead, margin: report.trip / 2 + 500_000)
    }
}

extension Finding {
    /// - Parameter ahead: microseconds by which another clock is ahead, with an error of at most `margin`.
    static func clock(whose: String, ahead: Int64, margin: Int64) -> Finding {
        let size = Int64(clamping: ahead.magnitude)
        let sure = max(0, size - margin)
        let seconds = "\(size / 1_000_000).\(InstantText.two(Int(size / 10_000 % 100)))"
        let text = "\(whose) clock is \(seconds) s \(ahead < 0 ? "behind" : "ahead of") this machine's"
        let fix = "find out which clock is wrong, and let NTP set it (timedatectl set-ntp true)"
        // A provider token is used for up to 55 of the 60 minutes for which Apple accepts it. That leaves five minutes.
        if sure > 300_000_000 { return .error(text).fix(fix) }
        // NTP keeps clocks within milliseconds. Two seconds mean that one clock is not synchronised.
        if sure > 2_000_000 { return .warning(text).fix(fix) }
        return .ok("\(whose) clock and this machine's differ by \(seconds) s")
    }
}
