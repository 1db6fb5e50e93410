import NudgedKit
import Seeded
import TestSupport
import Testing

/// Lives of an installation, played against a system that behaves as iOS does.
struct PermissionPropertyTests {
    /// What the system and the user would do, beside the books of what the app was told to do.
    private struct Phone {
        var system = SystemPermission.undetermined
        var isPrompting = false
        var now: Int64 = 0
        /// When the app showed its own question.
        var explained: [Int64] = []

        mutating func next(_ random: inout SplitMix64) -> PermissionEvent {
            if isPrompting, random.chance(60) {
                isPrompting = false
                if random.chance(15) { return .failed(random.pick(["", "Offline", "+prompted", "\u{301}!", "a!+b"])) }
                system = random.pick([.allowed, .denied])
                return .answered(granted: system == .allowed)
            }
            switch random.int(0...9) {
            case 0, 1:
                isPrompting = false
                if system != .undetermined, random.chance(30) { system = random.pick([.allowed, .denied]) }
                return .appStarted(system)
            case 2, 3, 4:
                now += Int64(random.int(0...5)) * 86_400
                return .sessionEnded(at: now)
            case 5, 6: return .enableTapped
            case 7: return .failed("Offline")
            default:
                if system != .undetermined, random.chance(50) { system = random.pick([.allowed, .denied]) }
                return .settingsChanged(system)
            }
        }

        /// Says what was wrong with an effect, if anything.
        mutating func perform(_ effect: PermissionEffect, _ event: PermissionEvent, known: SystemPermission) -> String?
        {
            switch effect {
            case .explain:
                if event != .sessionEnded(at: now) { return "a question out of nowhere" }
                if isPrompting || known != .undetermined { return "a question that can't help" }
                if let last = explained.last, now - last < 7 * 86_400 { return "a question too soon" }
                explained.append(now)
                if explained.count > 3 { return "a fourth question" }
            case .prompt:
                if isPrompting { return "a prompt over a prompt" }
                if known != .undetermined { return "a prompt where there is none any more" }
                if event != .enableTapped { return "a prompt without a tap" }
                isPrompting = system == .undetermined
            case .openSettings:
                if event != .enableTapped || known != .denied { return "settings without a denial" }
            case .registerToken:
                if known != .allowed { return "a token without permission" }
            case .nothing:
                if event == .enableTapped, known == .denied { return "a dead end" }
                if event == .enableTapped, known == .undetermined, !isPrompting { return "a tap that does nothing" }
                if event == .sessionEnded(at: now), known == .undetermined, !isPrompting, explained.isEmpty {
                    return "no question after the first session"
                }
                if event == .appStarted(.allowed) || event == .answered(granted: true) { return "no token" }
            }
            return nil
        }
    }

    @Test(arguments: Seeds.all) func permission_whenAnythingHappens_keepsItsRules(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var (prompts, questions) = (0, 0)
        for life in 0..<250 {
            var phone = Phone()
            var permission = Permission()
            var known = SystemPermission.undetermined
            for step in 0..<40 {
                let event = phone.next(&random)
                switch event {
                case .appStarted(let system), .settingsChanged(let system): known = system
                case .answered(let granted): known = granted ? .allowed : .denied
                default: break
                }
                // A failure of something else closes no prompt of the system's, but for us it is over.
                if case .failed = event { phone.isPrompting = false }
                let effect = permission.handle(event)
                let fault = phone.perform(effect, event, known: known)
                #expect(fault == nil, "seed \(seed), life \(life), step \(step): \(event) \(effect)")
                prompts += effect == .prompt ? 1 : 0
                let stored = try #require(Permission(rawValue: permission.rawValue))
                #expect(stored == permission, "seed \(seed): \(permission.rawValue)")
                #expect(stored.state == permission.state, "seed \(seed): \(permission.rawValue)")
                permission = stored
            }
            questions += phone.explained.count
        }
        #expect(prompts > 150 && questions > 100, "seed \(seed)")
    }
}
