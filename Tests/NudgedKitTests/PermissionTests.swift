import NudgedKit
import TestSupport
import Testing

struct PermissionTests {
    private static let day: Int64 = 86_400

    /// The permission after some events, and what each led to.
    private func after(_ events: [PermissionEvent]) -> (permission: Permission, effects: [PermissionEffect]) {
        var permission = Permission()
        let effects = events.map { permission.handle($0) }
        return (permission, effects)
    }

    /// `Tests/Reference/permission.txt` says what each event leads to.
    @Test func lives_areAsWritten() throws {
        let lives = try Checkout.reference("permission")
        #expect(lives.count == 16)
        for life in lives {
            var permission = Permission()
            for step in life.split(separator: "; ") {
                let parts = step.split(separator: " → ").map(String.init)
                let words = parts[0].split(separator: " ", maxSplits: 1).map(String.init)
                let detail = words.count > 1 ? words[1] : ""
                if words[0] == "is" {
                    #expect("\(permission.state)" == detail, "\(life)")
                    continue
                }
                let event = try #require(Self.event(words[0], detail), "\(step)")
                let effect = permission.handle(event)
                #expect("\(effect)" == (parts.count > 1 ? parts[1] : "nothing"), "\(life): \(step)")
            }
        }
        #expect(Permission.mostExplanations == 3 && Permission.secondsBetweenExplanations == 7 * Self.day)
    }

    private static func event(_ word: String, _ detail: String) -> PermissionEvent? {
        switch word {
        case "started": SystemPermission(rawValue: detail).map { .appStarted($0) }
        case "settings": SystemPermission(rawValue: detail).map { .settingsChanged($0) }
        case "session": Int64(detail).map { .sessionEnded(at: $0 * day) }
        case "tap": .enableTapped
        case "yes": .answered(granted: true)
        case "no": .answered(granted: false)
        case "refused": .error(domain: "UNErrorDomain", code: 1, text: "Not allowed")
        case "failed": .failed(detail)
        default: nil
        }
    }

    @Test(arguments: [Int64.min, -7 * 86_400, 7 * 86_400, .max])
    func question_whenTheClockWasWrong_comesAgain(now: Int64) {
        #expect(after([.sessionEnded(at: 0), .sessionEnded(at: now)]).effects == [.explain, .explain])
        let last = after([.sessionEnded(at: .max), .sessionEnded(at: now)]).effects.last
        #expect(last == (now == .max ? .nothing : .explain))
    }

    @Test func error_whenItIsAnotherOne_isAFailure() {
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
            if case .error = permission.state { continue }
            Issue.record("status \(status): \(permission.state)")
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
