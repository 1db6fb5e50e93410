/// Which lanes are configured, and which lane serves a device.
package struct LaneDirectory: Sendable, Equatable {
    /// For devices without an environment or topic.
    package let standard: LaneIdentity
    package let all: Set<LaneIdentity>

    package init(standard: LaneIdentity, others: [LaneIdentity] = []) {
        self.standard = standard
        all = Set(others).union([standard])
    }

    /// The lane of the same topic in the other environment. nil: none is configured.
    package func counterpart(of lane: LaneIdentity) -> LaneIdentity? {
        guard all.count > 1, let other = lane.inOtherEnvironment else { return nil }
        return all.contains(other) ? other : nil
    }

    package func lane(of device: Device) -> LaneIdentity? {
        // Nearly all devices have the standard lane, and comparing is cheaper than hashing.
        func isUsual(_ own: String?, _ word: String) -> Bool { own.map { ExactText($0) == ExactText(word) } ?? true }
        if isUsual(device.environment, standard.environment), isUsual(device.topic, standard.topic) { return standard }
        let lane = wanted(by: device)
        return all.contains(lane) ? lane : nil
    }

    /// The lane that a device's row names, which may not be configured. The row may be one that the app had before. So
    /// blanks around a word and its case don't matter, and Apple's own names count (`nudged.apns_environment`).
    package func wanted(by device: Device) -> LaneIdentity {
        let environment = device.environment.map(Self.folded) ?? ""
        let topic = device.topic.map(Self.trimmed) ?? ""
        let named = environment.isEmpty ? standard.environment : Self.words[environment] ?? environment
        let lane = LaneIdentity(environment: named, topic: topic.isEmpty ? standard.topic : topic)
        if all.contains(lane) { return lane }
        // A bundle id is the same in any case. Apple wants the configured one.
        let name = Self.folded(lane.topic)
        return all.first { $0.environment == lane.environment && Self.folded($0.topic) == name } ?? lane
    }

    private static let words = ["development": "sandbox", "dev": "sandbox", "prod": "production"]

    /// Without blanks at the ends, and in small letters, ASCII only.
    private static func folded(_ word: String) -> String {
        String(decoding: trimmed(word).utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    private static func trimmed(_ word: String) -> String {
        func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
        let bytes = word.utf8.drop(while: isBlank)
        let end = bytes.lastIndex { !isBlank($0) }.map { bytes.index(after: $0) } ?? bytes.startIndex
        return String(Substring(bytes[..<end]))
    }
}

/// Environment and topic of a lane's devices. Each lane has its own key, connections, token and back-off.
package struct LaneIdentity: Sendable, Hashable {
    /// `sandbox` or `production`.
    package let environment: String
    /// The bundle id.
    package let topic: String

    package init(environment: String, topic: String) { (self.environment, self.topic) = (environment, topic) }

    package static func == (left: LaneIdentity, right: LaneIdentity) -> Bool {
        ExactText(left.environment) == ExactText(right.environment) && ExactText(left.topic) == ExactText(right.topic)
    }

    package func hash(into hasher: inout Hasher) {
        // There are few lanes, and hashing two texts for each push takes longer than comparing them.
        hasher.combine(environment.utf8.count)
        hasher.combine(topic.utf8.count)
    }

    package var text: String { "\(topic) (\(environment))" }

    /// The same topic in the other environment. nil: the environment is neither sandbox nor production.
    var inOtherEnvironment: LaneIdentity? {
        switch environment {
        case "sandbox": LaneIdentity(environment: "production", topic: topic)
        case "production": LaneIdentity(environment: "sandbox", topic: topic)
        default: nil
        }
    }
}
