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
    private func functions(_ server: RecordingServer) -> [String] {
        server.calls.compactMap { $0.split(separator: " ").first.map { String($0.dropFirst("nudged_me.".count)) } }
            .filter { $0 != "seen" }
    }

    @Test func user_whenInTheApp_isSeen() async {
        let nudges = Nudges(system: system)
        await nudges.cameToFront()
        #expect(server.calls.isEmpty, "nobody is signed in")
        await nudges.signedIn(as: UserID(rawValue: "ann"), server: server) { _ in }
        await nudges.cameToFront()
        #expect(server.calls == ["nudged_me.seen {}", "nudged_me.seen {}"])
        await nudges.signOut()
        await nudges.cameToFront()
        #expect(server.calls.count == 2)
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

    /// A digest that a daemon repeated may be there twice. Nobody needs to be signed in.
    @Test func nudge_whenWithdrawn_leavesTheScreenAlone() async {
        let nudges = Nudges(system: system)
        system.onScreen = ["a": "2026-11-20", "b": "2026-11-21", "c": "2026-11-20"]
        await nudges.received(Payload(parsing: #"{"aps":{"content-available":1},"sync":1,"nudge":"2026-11-20"}"#))
        await nudges.received(Payload(parsing: #"{"withdraw":"2026-11-22"}"#))
        #expect(system.done == [])
        await nudges.received(Payload(parsing: #"{"withdraw":"2026-11-20","nudge":"2026-11-21"}"#))
        #expect(system.done == [#"remove ["a", "c"]"#])
    }

    @Test func question_whenAnsweredYes_prompts() async {
        let nudges = Nudges(system: system)
        await nudges.started()
        await nudges.sessionEnded()
        #expect(nudges.isExplaining && nudges.state == .notRequested && system.done.isEmpty)
        await nudges.enableTapped()
        #expect(!nudges.isExplaining && nudges.state == .granted && system.done == ["prompt", "token"])
    }

    @Test func question_whenAnsweredNotNow_comesAgainAfterAWeekAndAStart() async {
        let nudges = Nudges(system: system)
        var changes = 0
        nudges.changed = { changes += 1 }
        await nudges.sessionEnded()
        nudges.notNowTapped()
        #expect(!nudges.isExplaining && changes == 2)
        system.now = 6 * 86_400
        await nudges.sessionEnded()
        #expect(!nudges.isExplaining)
        let next = Nudges(system: system)
        system.now = 7 * 86_400
        await next.sessionEnded()
        #expect(next.isExplaining && system.done.isEmpty)
    }

    @Test func question_whenTheUserChangesTheSettingsUnderIt_goes() async {
        let nudges = Nudges(system: system)
        await nudges.sessionEnded()
        system.settings = .allowed
        await nudges.cameToFront()
        #expect(!nudges.isExplaining && nudges.state == .granted && system.done == ["token"])
    }

    @Test func tap_whenRefused_opensTheSettings() async {
        let nudges = Nudges(system: system)
        system.answer = .error(domain: "UNErrorDomain", code: 1, text: "Not allowed")
        await nudges.enableTapped()
        await nudges.enableTapped()
        #expect(nudges.state == .denied && system.done == ["prompt", "settings"])
    }

    @Test func device_whenTokenAndUserAreKnown_isRegisteredOnce() async {
        let nudges = Nudges(system: system)
        await nudges.received(token)
        #expect(server.calls.isEmpty)
        await nudges.signedIn(as: UserID(rawValue: "ann"), server: server) { _ in }
        await nudges.signedIn(as: UserID(rawValue: "ann"), server: server) { _ in }
        await nudges.cameToFront()
        #expect(functions(server) == ["register_device"])
        // Each start renews it.
        await nudges.received(token)
        #expect(functions(server).count == 2)
    }

    @Test func device_whenTheUserTravels_isRegisteredAgain() async {
        let nudges = Nudges(system: system)
        await nudges.signedIn(as: UserID(rawValue: "ann"), server: server) { _ in }
        await nudges.received(token)
        system.timezone = "Asia/Tokyo"
        await nudges.cameToFront()
        await nudges.cameToFront()
        #expect(functions(server) == ["register_device", "register_device"])
    }

    @Test func badge_whenTheAppComesToTheFront_goes() async {
        let nudges = Nudges(system: system)
        await nudges.started()
        #expect(system.badges == 0)
        await nudges.cameToFront()
        #expect(system.badges == 1)
        nudges.removesBadge = false
        await nudges.cameToFront()
        #expect(system.badges == 1)
    }

    @Test func device_whenTheServerFails_isTriedAgain() async {
        let nudges = Nudges(system: system)
        var errors = 0
        nudges.serverFailed = { _ in errors += 1 }
        server.answer = nil
        system.settings = .allowed
        await nudges.started()
        await nudges.signedIn(as: UserID(rawValue: "ann"), server: server) { _ in }
        await nudges.received(token)
        #expect(errors == 2, "the user is not seen, the device not registered")
        #expect(nudges.state == .error("It failed."))
        server.answer = RecordingServer().answer
        await nudges.cameToFront()
        #expect(functions(server).count == 2 && nudges.state == .granted && system.done == ["token", "token"])
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
        #expect(functions(server) == ["register_device", "unregister_device"])
        #expect(functions(other) == ["register_device"])
        #expect(system.done == ["remove", "remove"] && system.defaults["nudged.user"] == "bob")
    }

    /// Kept until somebody is signed in. Each is registered once, and none stays with a user who signs out.
    @Test func surface_whenItHasAToken_isRegisteredForWhoIsSignedIn() async {
        let nudges = Nudges(system: system)
        await nudges.received(token, for: .activity(id: "order-17"))
        #expect(server.calls.isEmpty)
        await nudges.signedIn(as: UserID(rawValue: "ann"), server: server) { _ in }
        await nudges.cameToFront()
        await nudges.received(DeviceToken([1, 2]), for: .start(type: "OrderAttributes"))
        await nudges.received(DeviceToken([1, 2]), for: .start(type: "OrderAttributes"))
        #expect(functions(server) == ["register_device", "register_device", "register_device"])
        let registrations = server.calls.filter { $0.contains("register_device") }
        #expect(registrations.first?.contains(#""surface":"activity:order-17""#) == true)
        #expect(registrations.last?.contains(#""surface":"start:OrderAttributes""#) == true)
        await nudges.signOut()
        #expect(functions(server).filter { $0 == "unregister_device" }.count == 2)
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

    @Test func controls_whenEachHasAToken_areAllRegisteredAndRemoved() async {
        let nudges = Nudges(system: system)
        for byte in [1, 2] as [UInt8] { await nudges.received(DeviceToken([byte]), for: .controls) }
        await nudges.signedIn(as: UserID(rawValue: "ann"), server: server) { _ in }
        #expect(functions(server) == ["register_device", "register_device"])
        await nudges.signOut()
        #expect(functions(server).filter { $0 == "unregister_device" }.count == 2)
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
        #expect(functions(server) == ["register_device"])
        server.answer = "true"
        server.release()
        await stored.value
        await out.value
        await back.value
        #expect(functions(server) == ["register_device", "unregister_device", "register_device"])
    }

    @Test func tap_whenBeforeTheSignIn_opensWhenTheUserIsBack() async {
        system.defaults["nudged.user"] = "ann"
        let nudges = Nudges(system: system)
        nudges.tapped(push)
        await nudges.signedIn(as: UserID(rawValue: "ann"), server: server) { [system] in system.opened.append($0) }
        #expect(system.opened == [push])
        nudges.tapped(push)
        #expect(system.opened.count == 2 && system.done.isEmpty)
    }

    @Test func tap_whenAnotherUserSignsIn_isForgottenWithTheirPushes() async {
        system.defaults["nudged.user"] = "ann"
        let nudges = Nudges(system: system)
        nudges.tapped(push)
        await nudges.signedIn(as: UserID(rawValue: "bob"), server: server) { [system] in system.opened.append($0) }
        #expect(system.opened.isEmpty && system.done == ["remove"])
    }

    @Test func push_whenInTheForeground_hasABannerUnlessItIsOnTheScreen() async {
        let nudges = Nudges(system: system)
        let push = push
        nudges.isShowing = { $0 == push }
        #expect(nudges.display(push) == .banner)
        await nudges.signedIn(as: UserID(rawValue: "ann"), server: server) { _ in }
        #expect(nudges.display(push) == .list && nudges.display(Payload(parsing: "{}")) == .banner)
    }

    @Test func registration_whenTheSystemHasNoToken_isAnError() async {
        system.settings = .allowed
        let nudges = Nudges(system: system)
        await nudges.started()
        await nudges.registrationFailed(RecordingServer.Failure())
        #expect(nudges.state == .error("It failed."))
    }
}

struct PendingTapTests {
    private let first = Payload(parsing: #"{"order":1}"#)
    private let second = Payload(parsing: #"{"order":2}"#)

    @Test func tap_whenSignedIn_opensAtOnce() {
        var tap = PendingTap()
        #expect(tap.signedIn(UserID(rawValue: "ann")) == nil)
        #expect(tap.tapped(first) == first && tap.payload == nil && tap.user?.rawValue == "ann")
    }

    @Test func tap_whenNobodyIsSignedIn_isKeptUntilTheUserIsBack() {
        var tap = PendingTap(lastUser: UserID(rawValue: "ann"))
        #expect(tap.tapped(first) == nil && tap.tapped(second) == nil)
        #expect(tap.signedIn(UserID(rawValue: "ann")) == second)
        // Once only.
        #expect(tap.signedIn(UserID(rawValue: "ann")) == nil && tap.payload == nil)
    }

    @Test func tap_whenTheAppKnowsNoFormerUser_opensForTheNext() {
        var tap = PendingTap()
        #expect(tap.tapped(first) == nil)
        #expect(tap.signedIn(UserID(rawValue: "ann")) == first)
    }

    @Test func tap_whenAnotherUserSignsIn_isForgotten() {
        var tap = PendingTap(lastUser: UserID(rawValue: "ann"))
        #expect(tap.tapped(first) == nil)
        #expect(tap.signedIn(UserID(rawValue: "bob")) == nil && tap.lastUser == UserID(rawValue: "bob"))
        tap.signedOut()
        #expect(tap.user == nil && tap.signedIn(UserID(rawValue: "ann")) == nil)
    }

    @Test func tap_whenAfterASignOut_waits() {
        var tap = PendingTap()
        #expect(tap.signedIn(UserID(rawValue: "ann")) == nil)
        tap.signedOut()
        #expect(tap.tapped(first) == nil && tap.lastUser == UserID(rawValue: "ann"))
        #expect(tap.signedIn(UserID(rawValue: "ann")) == first)
    }
}
