import NudgedKit
import Testing

struct PermissionTests {
    private static let day: Int64 = 86_400

    /// The permission after some events, and what each led to.
    private func after(_ events: [PermissionEvent]) -> (permission: Permission, effects: [PermissionEffect]) {
        var permission = Permission()
        let effects = events.map { permission.handle($0) }
        return (permission, effects)
    }

    @Test func question_whenFirstLaunched_isNotShown() {
        let (permission, effects) = after([.appStarted(.undetermined), .settingsChanged(.undetermined)])
        #expect(effects == [.nothing, .nothing] && permission.state == .notRequested)
    }

    @Test func question_whenAnsweredYes_leadsToThePrompt() {
        let (permission, effects) = after([
            .appStarted(.undetermined), .sessionEnded(at: 0), .enableTapped, .enableTapped,
            .settingsChanged(.undetermined), .sessionEnded(at: 8 * Self.day), .answered(granted: true),
            .sessionEnded(at: 16 * Self.day),
        ])
        #expect(effects == [.nothing, .explain, .prompt, .nothing, .nothing, .nothing, .registerToken, .nothing])
        #expect(permission.state == .granted)
    }

    @Test func question_whenAnsweredNotNow_comesAgainEachWeekThreeTimesInAll() {
        let days: [(Int64, PermissionEffect)] = [
            (0, .explain), (0, .nothing), (6, .nothing), (7, .explain), (8, .nothing), (13, .nothing), (30, .explain),
            (37, .nothing), (900, .nothing),
        ]
        let (permission, effects) = after(days.map { .sessionEnded(at: $0.0 * Self.day) })
        let expected = days.map { $0.1 }
        #expect(effects == expected && permission.state == .notRequested)
        #expect(Permission.mostExplanations == 3 && Permission.secondsBetweenExplanations == 7 * Self.day)
    }

    @Test func question_whenTheAppEndedUnderIt_waitsAWeekToo() {
        let (_, effects) = after([
            .sessionEnded(at: 0), .appStarted(.undetermined), .sessionEnded(at: Self.day),
            .sessionEnded(at: 7 * Self.day),
        ])
        #expect(effects == [.explain, .nothing, .nothing, .explain])
    }

    @Test(arguments: [Int64.min, -7 * 86_400, 7 * 86_400, .max])
    func question_whenTheClockWasWrong_comesAgain(now: Int64) {
        #expect(after([.sessionEnded(at: 0), .sessionEnded(at: now)]).effects == [.explain, .explain])
        let last = after([.sessionEnded(at: .max), .sessionEnded(at: now)]).effects.last
        #expect(last == (now == .max ? .nothing : .explain))
    }

    @Test func prompt_whenTheAppEndedUnderIt_comesForATap() {
        let (permission, effects) = after([.enableTapped, .appStarted(.undetermined), .enableTapped, .enableTapped])
        #expect(effects == [.prompt, .nothing, .prompt, .nothing])
        #expect(permission.state == .notRequested)
    }

    @Test func tap_whenDenied_pointsToTheSettings() {
        let (permission, effects) = after([
            .enableTapped, .answered(granted: false), .sessionEnded(at: 0), .enableTapped, .enableTapped,
            .appStarted(.denied), .enableTapped,
        ])
        #expect(effects == [.prompt, .nothing, .nothing, .openSettings, .openSettings, .nothing, .openSettings])
        #expect(permission.state == .denied)
    }

    @Test func tap_whenNothingWasRequested_prompts() {
        #expect(after([.appStarted(.undetermined), .enableTapped]).effects == [.nothing, .prompt])
        #expect(
            after([.appStarted(.denied), .enableTapped, .sessionEnded(at: 0)]).effects == [
                .nothing, .openSettings, .nothing,
            ]
        )
        #expect(after([.appStarted(.allowed), .sessionEnded(at: 0)]).effects == [.registerToken, .nothing])
    }

    @Test func settings_whenChanged_count() {
        let (permission, effects) = after([
            .appStarted(.denied), .settingsChanged(.allowed), .settingsChanged(.allowed), .settingsChanged(.denied),
            .enableTapped,
        ])
        #expect(effects == [.nothing, .registerToken, .nothing, .nothing, .openSettings])
        #expect(permission.state == .denied)
    }

    @Test func token_whenPermitted_isRegisteredAtEachStart() {
        #expect(after([.appStarted(.allowed), .appStarted(.allowed)]).effects == [.registerToken, .registerToken])
        #expect(after([.appStarted(.allowed)]).permission.state == .granted)
    }

    @Test func failure_whenPrompting_staysUntilNewsOrATap() {
        var (permission, effects) = after([.enableTapped, .failed("No network"), .settingsChanged(.undetermined)])
        #expect(effects == [.prompt, .nothing, .nothing] && permission.state == .error("No network"))
        #expect(permission.handle(.enableTapped) == .prompt)
        #expect(permission.state == .notRequested)
        #expect(permission.handle(.failed("Still none")) == .nothing)
        #expect(permission.handle(.appStarted(.undetermined)) == .nothing)
        #expect(permission.state == .notRequested)
    }

    @Test func failure_whenRegistering_isTriedAgain() {
        for event in [PermissionEvent.settingsChanged(.allowed), .enableTapped, .appStarted(.allowed)] {
            var (permission, _) = after([.appStarted(.allowed), .failed("Offline")])
            #expect(permission.state == .error("Offline"))
            #expect(permission.handle(event) == .registerToken)
            #expect(permission.state == .granted)
        }
        let (permission, effects) = after([.appStarted(.allowed), .failed("Offline"), .settingsChanged(.denied)])
        #expect(permission.state == .denied && effects.last == .nothing)
    }

    @Test func error_whenNotificationsAreNotAllowed_isARefusal() {
        let refusal = PermissionEvent.error(domain: "UNErrorDomain", code: 1, text: "Not allowed")
        let (permission, effects) = after([.enableTapped, refusal, .enableTapped])
        #expect(effects == [.prompt, .nothing, .openSettings] && permission.state == .denied)
        for (domain, code) in [("UNErrorDomain", 100), ("NSCocoaErrorDomain", 1), ("", 0)] {
            #expect(PermissionEvent.error(domain: domain, code: code, text: "Why") == .failed("Why"))
        }
    }

    @Test func status_whenUnknown_isAnError() {
        let known: [SystemPermission] = [.undetermined, .denied, .allowed, .allowed, .allowed]
        #expect((0...4).map { SystemPermission(status: $0) } == known)
        for status in [-1, 5, .max] {
            let (permission, effects) = after([
                .appStarted(SystemPermission(status: status)), .sessionEnded(at: 0), .enableTapped,
            ])
            #expect(effects == [.nothing, .nothing, .openSettings])
            guard case .error = permission.state else {
                Issue.record("status \(status): \(permission.state)")
                continue
            }
        }
    }

    @Test(arguments: [
        "", "Allowed", "allowed+", "allowed+asked", "+prompting", "allowed+prompting+prompting", "granted", "denied ",
        "!x", "denied\u{301}", "allowed+explained", "allowed+explained:1", "allowed+explained:0:1",
        "allowed+explained:1:x", "allowed+explained:1:2:3", "allowed+explained:1:2+prompting",
        "allowed+explained:99999999999999999999:1",
    ]) func permission_whenStoredWordIsNone_isNil(text: String) { #expect(Permission(rawValue: text) == nil) }

    @Test func permission_whenStored_isReadable() {
        #expect(Permission().rawValue == "undetermined")
        #expect(after([.enableTapped]).permission.rawValue == "undetermined+prompting")
        #expect(after([.sessionEnded(at: 17)]).permission.rawValue == "undetermined+explained:1:17")
        #expect(after([.enableTapped, .answered(granted: false)]).permission.rawValue == "denied")
        #expect(after([.appStarted(.allowed), .failed("a!b")]).permission.rawValue == "allowed!a!b")
        #expect(Permission(rawValue: "allowed!a!b")?.state == .error("a!b"))
        let (permission, _) = after([.sessionEnded(at: -5), .enableTapped, .failed("+x!")])
        #expect(permission.rawValue == "undetermined+explained:1:-5!+x!")
        #expect(Permission(rawValue: permission.rawValue) == permission)
    }
}
