package import Core
package import struct FoundationEssentials.UUID
package import Systemd

/// Why no test push was sent.
package enum SendTestError: Error, CustomStringConvertible {
    /// The lane is production, and `--force` was not given.
    case production(LaneIdentity)
    /// Neither nudged nor the app has anything of this user.
    case unknownUser(UUID)
    /// The user has no device, or none that a lane of this configuration serves.
    case noDevice(UUID, notServed: Int)

    /// What happened, and what to do.
    package var description: String {
        switch self {
        case .production(let lane):
            "\(lane.text) is production: a test push would reach the phone of one of the app's users; "
                + "give --force to send it"
        case .unknownUser(let user): "nothing is known of user \(Self.name(user)): no profile, no device"
        case .noDevice(let user, 0): "user \(Self.name(user)) has no device"
        case .noDevice(let user, 1):
            "user \(Self.name(user)) has 1 device, but no lane of this configuration serves it"
        case .noDevice(let user, let count):
            "user \(Self.name(user)) has \(count) devices, but no lane of this configuration serves them"
        }
    }

    /// The command's exit status.
    package var exitStatus: ExitStatus {
        switch self {
        case .production: .permission
        case .unknownUser, .noDevice: .noUser
        }
    }

    private static func name(_ user: UUID) -> String { user.uuidString.lowercased() }
}
