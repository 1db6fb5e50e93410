import NudgedKit
import Testing

@MainActor
struct NudgesTests {
    /// A system as the test sets it up. It records what was done to it.
    private final class System: NotificationSystem {
        var now: Int64 = 0
        var settings = SystemPermission.undetermined
        var answer = PermissionEvent.answered(granted: true)
        var timezone = "Europe/Paris"
        var defaults: [String: String] = [:]
        var done: [String] = []
        /// What the app opened.
        var opened: [Payload] = []
        var badges = 0
        /// By the system's identifier, the payload's `nudge`.
        var onScreen: KeyValuePairs<String, String> = [:]

        func permission() async -> SystemPermission { settings }

        func prompt() async -> PermissionEvent {
            done.append("prompt")
            return answer
        }

        func openSettings() async { done.append("settings") }
        func registerToken() { done.append("token") }
        func removeDelivered() { done.append("remove") }
        func removeDelivered(_ identifiers: [String]) { done.append("remove \(identifiers)") }
        func delivered() async -> [(identifier: String, payload: Payload)] {
            onScreen.map { ($0, Payload(parsing: #"{"nudge":"\#($1)"}"#)) }
        }
        func removeBadge() { badges += 1 }

        func registration(of token: DeviceToken) -> DeviceRegistration {
            DeviceRegistration(token: token, platform: .ios, environment: .sandbox, timezone: timezone)
        }

        func event(of error: any Error) -> PermissionEvent { .failed("It failed.") }
        func stored(_ key: String) -> String? { defaults[key] }
        func store(_ key: String, _ text: String) { defaults[key] = text }
    }

    private let system = System()
    private let server = RecordingServer()
    private let token = DeviceToken(repeatElement(0xAB, count: 32))
    private let push = Payload(parsing: #"{"order":1}"#)

    /// The calls without those that only say that the user is here.
    private static func functions(_ server: RecordingServer) -> [String] {
        server.calls.compactMap { $0.split(separator: " ").first.map { String($0.dropFirst("nudged_me.".count)) } }
            .filter { $0 != "seen" }
    }

    /// `Tests/Reference/app.txt` says what happens in an app, and what is seen then.
    @Test func apps_doAsWritten() async throws {
        let lines = try ClientGuideTests.lines("Tests/Reference/app.txt")
        #expect(lines.count { !$0.hasPrefix("#") } == 32)
        var life = Life()
        for line in lines {
            if line.hasPrefix("## ") { life = Life() }
            if line.hasPrefix("#") { continue }
            let parts = line.split(separator: " | ")
            for event in parts[0].split(separator: "; ") {
                let words = event.split(separator: " ", maxSplits: 1).map(String.init)
                try await life.play(words[0], words.count > 1 ? words[1] : "")
            }
            for fact in parts[1].split(separator: "; ") {
                let words = fact.split(separator: " ", maxSplits: 1).map(String.init)
                let found = life.fact(words[0])
                #expect(found == words[1], "\(line)")
            }
        }
    }

    /// An app, its phone and its server.
    @MainActor private final class Life {
        private struct Unknown: Error { let event: String }

        private static let surfaces: [Surface] = [
            .widgets, .controls, .start(type: "OrderAttributes"), .activity(id: "order-17"),
        ]

        private let system: System
        private let server = RecordingServer()
        private var nudges: Nudges
        private var changes = 0
        private var failures = 0

        init() {
            system = System()
            nudges = Nudges(system: system)
            start()
        }

        private func start() {
            nudges = Nudges(system: system)
            nudges.changed = { [weak self] in self?.changes += 1 }
            nudges.serverFailed = { [weak self] _ in self?.failures += 1 }
        }

        func play(_ event: String, _ detail: String) async throws {
            switch event {
            case "restart": start()
            case "started": await nudges.started()
            case "session": await nudges.sessionEnded()
            case "enable": await nudges.enableTapped()
            case "not-now": nudges.notNowTapped()
            case "front": await nudges.cameToFront()
            case "sign-in":
                let user = UserID(rawValue: detail)
                await nudges.signedIn(as: user, server: server) { [system] in system.opened.append($0) }
            case "sign-out": await nudges.signOut()
            case "token": await nudges.received(DeviceToken(repeatElement(0xAB, count: 32)))
            case "surface":
                let words = detail.split(separator: " ").map(String.init)
                let surface = try #require(Self.surfaces.first { $0.text == words[0] })
                await nudges.received(DeviceToken([try #require(UInt8(words[1]))]), for: surface)
            case "no-token": await nudges.registrationFailed(RecordingServer.Failure())
            case "push": await nudges.received(Payload(parsing: detail))
            case "tap": nudges.tapped(Payload(parsing: detail))
            case "keep-badge": nudges.removesBadge = false
            case "day": system.now = try #require(Int64(detail)) * 86_400
            case "zone": system.timezone = detail
            case "settings": system.settings = try #require(SystemPermission(rawValue: detail))
            case "refuses": system.answer = .error(domain: "UNErrorDomain", code: 1, text: "Not allowed")
            case "former":
                system.defaults["nudged.user"] = detail
                start()
            case "screen": system.onScreen = ["a": "2026-11-20", "b": "2026-11-21", "c": "2026-11-20"]
            case "server": server.answer = detail == "fails" ? nil : RecordingServer().answer
            default: throw Unknown(event: event)
            }
        }

        func fact(_ name: String) -> String? {
            switch name {
            case "explains": "\(nudges.isExplaining)"
            case "state": "\(nudges.state)"
            case "done": system.done.isEmpty ? "nothing" : system.done.joined(separator: ", ")
            case "calls": server.calls.isEmpty ? "none" : server.calls.joined(separator: ", ")
            case "called": NudgesTests.functions(server).joined(separator: ", ")
            case "surfaces": server.calls.compactMap { $0.firstMatch(of: /"surface":"(.*)"/)?.1 }.joined(separator: " ")
            case "opened": system.opened.isEmpty ? "none" : system.opened.map(\.data.json).joined(separator: " ")
            case "badges": "\(system.badges)"
            case "changes": "\(changes)"
            case "failures": "\(failures)"
            default: nil
            }
        }
    }

    /// A tap before the sign-in as well, and each once.
    @Test func tap_whenItNamesANudge_isReported() async {
        let nudges = Nudges(system: system)
        nudges.tapped(Payload(parsing: #"{"nudge":"2026-11-20"}"#))
        await nudges.signedIn(as: UserID(rawValue: "ann"), server: server) { _ in }
        nudges.tapped(Payload(parsing: #"{"nudge":"2026-11-21"}"#))
        nudges.tapped(push)
        await server.called(3)
        #expect(
            server.calls.sorted() == [
                #"nudged_me.opened {"id":"2026-11-20"}"#, #"nudged_me.opened {"id":"2026-11-21"}"#, "nudged_me.seen {}",
            ]
        )
        var failures = 0
        server.answer = nil
        nudges.serverFailed = { _ in failures += 1 }
        await nudges.cameToFront()
        #expect(failures == 1)
    }

    @Test func device_whenTheUserSignsOut_isRemovedBeforeTheNextOnesIsStored() async {
        let nudges = Nudges(system: system)
        await nudges.signedIn(as: UserID(rawValue: "ann"), server: server) { _ in }
        await nudges.received(token)
        let other = RecordingServer()
        server.answer = "true"
        server.hold()
        let out = Task { await nudges.signOut() }
        await server.called(2)
        let back = Task { await nudges.signedIn(as: UserID(rawValue: "bob"), server: other) { _ in } }
        // Time for a call that doesn't wait.
        for _ in 0..<20 { await Task.yield() }
        #expect(other.calls.isEmpty)
        server.release()
        await out.value
        await back.value
        #expect(Self.functions(server) == ["register_device", "unregister_device"])
        #expect(Self.functions(other) == ["register_device"])
        #expect(system.done == ["remove", "remove"] && system.defaults["nudged.user"] == "bob")
    }

    @Test func surface_whenItsTokenChangesWhileTheOldOneIsOnItsWay_isRegisteredAgain() async {
        let nudges = Nudges(system: system)
        await nudges.signedIn(as: UserID(rawValue: "ann"), server: server) { _ in }
        server.hold()
        let old = Task { await nudges.received(token, for: .widgets) }
        await server.called(2)
        let new = Task { await nudges.received(DeviceToken([1, 2]), for: .widgets) }
        for _ in 0..<20 { await Task.yield() }
        server.release()
        await old.value
        await new.value
        #expect(server.calls.last?.contains(#""token":"0102""#) == true, "\(server.calls)")
    }

    @Test func device_whenARegistrationIsStillOnItsWayAtTheSignOut_isRemovedAfterIt() async {
        let nudges = Nudges(system: system)
        await nudges.signedIn(as: UserID(rawValue: "ann"), server: server) { _ in }
        server.hold()
        let stored = Task { await nudges.received(token) }
        await server.called(1)
        let out = Task { await nudges.signOut() }
        let back = Task { await nudges.signedIn(as: UserID(rawValue: "ann"), server: server) { _ in } }
        for _ in 0..<20 { await Task.yield() }
        #expect(Self.functions(server) == ["register_device"])
        server.answer = "true"
        server.release()
        await stored.value
        await out.value
        await back.value
        #expect(Self.functions(server) == ["register_device", "unregister_device", "register_device"])
    }

    @Test func push_whenInTheForeground_hasABannerUnlessItIsOnTheScreen() async {
        let nudges = Nudges(system: system)
        let push = push
        nudges.isShowing = { $0 == push }
        #expect(nudges.display(push) == .banner)
        await nudges.signedIn(as: UserID(rawValue: "ann"), server: server) { _ in }
        #expect(nudges.display(push) == .list && nudges.display(Payload(parsing: "{}")) == .banner)
    }
}

struct PendingTapTests {
    /// A name signs that user in, `-` signs the user out, and a number is a tap. After `=` is the tap that opens: at
    /// once, or later for the same user, and only once. For another user it is forgotten.
    @Test(
        arguments: [
            (nil, "ann 1=1"), ("ann", "1 2 ann=2 ann"), (nil, "1 ann=1"), ("ann", "1 bob - ann"),
            (nil, "ann - 1 ann=1"),
        ] as [(String?, String)]
    ) func tap_isKeptForItsUser_andOpensOnce(former: String?, steps: String) {
        var (tap, user, last) = (PendingTap(lastUser: former.map { UserID(rawValue: $0) }), String?.none, former)
        func payload(_ order: String) -> Payload { Payload(parsing: #"{"order":\#(order)}"#) }
        for step in steps.split(separator: " ") {
            let words = step.split(separator: "=").map(String.init)
            let isTap = Int(words[0]) != nil
            var opened: Payload?
            if isTap {
                opened = tap.tapped(payload(words[0]))
            } else if words[0] == "-" {
                tap.signedOut()
                user = nil
            } else {
                opened = tap.signedIn(UserID(rawValue: words[0]))
                (user, last) = (words[0], words[0])
            }
            #expect(opened == words.dropFirst().first.map { payload($0) }, "\(steps): \(step)")
            #expect(tap.user?.rawValue == user && tap.lastUser?.rawValue == last, "\(steps): \(step)")
            #expect((tap.payload != nil) == (isTap && user == nil), "\(steps): \(step)")
        }
    }
}
