/// Why a random user gets a check-in now or not, and how many in a thousand are such.
enum Circumstance: CaseIterable {
    case due, dueUnderCap, defaultQuiet, later, quietNow, capped, tooSoon, disabled, malformed, noZone, noDevice,
        androidOnly, noFirstSession, none

    var perMille: Int {
        switch self {
        case .due: 560
        case .dueUnderCap: 100
        case .defaultQuiet: 40
        case .later, .quietNow, .capped: 50
        case .tooSoon: 30
        case .disabled, .malformed, .noZone, .noDevice: 20
        case .androidOnly, .noFirstSession: 15
        case .none: 10
        }
    }
}
