import APNsSimulator

/// A second simulated Apple, with a key of its own, and a configuration that names it as production.
final class SecondApple: Sendable {
    private static let key = "KEY7654321"

    let simulator: APNsSimulator
    /// Of the configuration.
    let path: String

    /// - Parameter topic: of another app that has lanes in both environments.
    init(_ scene: Scene, topic: String? = nil, perDevice: Scene.Answers? = nil) throws {
        let certificate = try SimulatorCertificate()
        let settings = SimulatorSettings(keys: [certificate.registered(keyID: Self.key, teamID: Scene.teamID)])
        let script = SimulatorScript(settings: settings, perDevice: perDevice)
        simulator = try APNsSimulator(script: script, certificate: certificate.server)
        try simulator.start()
        let authority = scene.write(certificate.authority, to: "ca2.pem")
        let key = scene.write(certificate.providerKey.privateKey, to: "key2.p8")
        let place = "endpoint: \"\(simulator.endpoint)\", caFile: \(authority)"
        let lane = "environment: production, keyId: \(Self.key), privateKeyFile: \(key), \(place)"
        let lanes = topic.map { ["bundleId: \($0)", lane, "\(lane), bundleId: \($0)"] } ?? [lane]
        let apps = lanes.map { "{\($0)}" }.joined(separator: ", ")
        path = scene.write("apns: {apps: [\(apps)]}\n", to: "nudged.yaml")
    }

    deinit { simulator.stop() }
}
