package import Planning
package import struct FoundationEssentials.UUID
package import Systemd

/// Why no test push was sent.
package enum SendTestError: Error, CustomStringConvertible {
    /// A person's phone: only where it is meant.
    case production(LaneIdentity)
    /// There is nothing of them.
    case unknownUser(UUID)
    /// They have none, or none that a lane of this configuration serves.
    case noDevice(UUID, notServed: Int)

    /// In words.
    package var description: String {
        switch self {
        case .production(let lane):
            "\(lane.words) is production: a test push would reach the phone of somebody who uses the app; --force sends it all the same"
        case .unknownUser(let user): "there is nothing of user \(Self.name(user)): no profile, no device"
        case .noDevice(let user, 0): "user \(Self.name(user)) has no device"
        case .noDevice(let user, let count):
            "no lane of this configuration serves one of the \(count) devices of user \(Self.name(user))"
        }
    }

    /// How the command ends.
    package var exitStatus: ExitStatus {
        switch self {
        case .production: .permission
        case .unknownUser, .noDevice: .noUser
        }
    }

    private static func name(_ user: UUID) -> String { user.uuidString.lowercased() }
}
