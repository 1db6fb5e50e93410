import APNsSimulator
import Service
import Systemd

struct SimulatedApple: Sendable {
    let simulator: APNsSimulator
    let certificate: SimulatorCertificate

    static let (teamID, keyID, topic) = ("DEMOTEAM01", "DEMOKEY001", "dev.nudged.demo")

    static func start(devices: [String: DemoDevice]) throws -> SimulatedApple {
        do {
            let certificate = try SimulatorCertificate()
            var settings = SimulatorSettings(keys: [certificate.registered(keyID: keyID, teamID: teamID)])
            settings.topics = [topic]
            let script = SimulatorScript(
                settings: settings,
                perDevice: { token, attempt in devices[token].flatMap { answer($0, attempt: attempt) } }
            )
            let simulator = try APNsSimulator(script: script, certificate: certificate.server)
            try simulator.start()
            return SimulatedApple(simulator: simulator, certificate: certificate)
        } catch {
            throw CommandFailure("the simulated Apple does not start: \(error)", .unavailable)
        }
    }

    static func answer(_ device: DemoDevice, attempt: Int) -> ScriptedAnswer? {
        switch device.answer {
        case .accepted: nil
        case .unregistered(let since): .unregistered(timestamp: since * 1000)
        case .badToken: .answer(status: 400, reason: "BadDeviceToken")
        case .busyOnce: attempt == 1 ? .answer(status: 429, reason: "TooManyRequests") : nil
        case .refusedOnce: attempt == 1 ? .reset(code: 7) : nil
        case .troubledOnce: attempt == 1 ? .answer(status: 503, reason: "ServiceUnavailable") : nil
        }
    }
}
