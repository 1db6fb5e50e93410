import NudgedKit
import Testing

struct PermissionTests {
    /// The permission after some events, and what each asked for.
    private func after(_ events: [PermissionEvent]) -> (permission: Permission, effects: [PermissionEffect]) {
        var permission = Permission()
        let effects = events.map { permission.handle($0) }
        return (permission, effects)
    }

    @Test func prompt_whenFirstLaunched_isNotShown() {
        let (permission, effects) = after([.appStarted(.undetermined), .settingsChanged(.undetermined)])
        #expect(effects == [.nothing, .nothing] && permission.state == .notRequested)
    }

    @Test func prompt_whenFirstSessionEnds_isShownOnce() {
        let (permission, effects) = after([
            .appStarted(.undetermined), .sessionEnded, .sessionEnded, .enableTapped, .settingsChanged(.undetermined),
            .answered(granted: true), .sessionEnded,
        ])
        #expect(effects == [.nothing, .prompt, .nothing, .nothing, .nothing, .registerToken, .nothing])
        #expect(permission.state == .granted)
    }

    @Test func prompt_whenAppEndedUnderIt_comesAgainOnlyForATap() {
        let (permission, effects) = after([
            .sessionEnded, .appStarted(.undetermined), .sessionEnded, .enableTapped, .enableTapped,
        ])
        #expect(effects == [.prompt, .nothing, .nothing, .prompt, .nothing])
        #expect(permission.state == .notRequested)
    }

    @Test func tap_whenDenied_pointsToTheSettings() {
        let (permission, effects) = after([
            .appStarted(.undetermined), .sessionEnded, .answered(granted: false), .sessionEnded, .enableTapped,
            .enableTapped,
            .appStarted(.denied), .enableTapped,
        ])
        #expect(
            effects == [
                .nothing, .prompt, .nothing, .nothing, .openSettings, .openSettings, .nothing, .openSettings,
            ]
        )
        #expect(permission.state == .denied)
    }

    @Test func tap_whenNothingWasAsked_prompts() {
        #expect(after([.appStarted(.undetermined), .enableTapped]).effects == [.nothing, .prompt])
        #expect(
            after([.appStarted(.denied), .enableTapped, .sessionEnded]).effects == [.nothing, .openSettings, .nothing]
        )
        #expect(after([.appStarted(.allowed), .sessionEnded]).effects == [.registerToken, .nothing])
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
        var (permission, effects) = after([
            .sessionEnded, .failed("No network"), .sessionEnded, .settingsChanged(.undetermined),
        ])
        #expect(effects == [.prompt, .nothing, .nothing, .nothing] && permission.state == .error("No network"))
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

    @Test(arguments: [
        "", "Allowed", "allowed+", "allowed+asked", "+prompted", "allowed+prompted+prompted", "granted", "denied ",
        "!x",
        "allowed+prompting+prompted", "denied\u{301}",
    ])
    func permission_whenStoredWordIsNone_isNil(text: String) {
        #expect(Permission(rawValue: text) == nil)
    }

    @Test func permission_whenStored_isReadable() {
        #expect(Permission().rawValue == "undetermined")
        #expect(after([.sessionEnded]).permission.rawValue == "undetermined+prompting")
        #expect(after([.sessionEnded, .answered(granted: false)]).permission.rawValue == "denied+prompted")
        #expect(after([.appStarted(.allowed), .failed("a!b")]).permission.rawValue == "allowed!a!b")
        #expect(Permission(rawValue: "allowed!a!b")?.state == .error("a!b"))
    }
}
