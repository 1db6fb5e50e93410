import APNsSimulator
import JSON
import LocalPostgres
import Testing
import TestSupport

/// A scene with a decision service: a server of https that says what the test says, beside a database, a simulated Apple and the built `nudged`.
struct DecisionScene: TestDatabase {
    static let text = "planted-message-text"
    static let answerText = "planted-service-words"
    static let token = "planted-service-token"

    let scene: Scene
    let service: HTTPSServer

    /// Users with a device each, who consent; what is due of them is up to the test.
    init(
        _ users: Int,
        names: [String]? = ["localhost", "127.0.0.1"],
        notAfter: Int = 86_400,
        perDevice: Scene.Answers? = nil,
        _ answer: @escaping @Sendable (HTTPSRequest) -> [HTTPSAct]
    ) async throws {
        scene = try await Scene(perDevice: perDevice)
        service = try HTTPSServer(names: names, notAfter: notAfter, answer: answer)
        scene.write(try HTTPSServer.authority.get().certificate, to: "service-ca.pem")
        scene.secrets.withLock { $0 += [Self.text, Self.answerText, Self.token, "planted-path"] }
        try scene.seedDue(users)
        try scene.changePreferences(#"|| '{"smart_enabled": true}'"#)
    }

    /// Users who get messages only, and consent unless the preferences say otherwise.
    static func withoutCheckIns(
        _ users: Int,
        preferences: String = "",
        perDevice: Scene.Answers? = nil,
        _ answer: @escaping @Sendable (HTTPSRequest) -> [HTTPSAct]
    ) async throws -> DecisionScene {
        let scene = try await DecisionScene(users, perDevice: perDevice, answer)
        let quiet = #""quiet_hours_start": "00:00", "quiet_hours_end": "00:00""#
        try scene.setPreferences(#"{"smart_enabled": true, \#(quiet)\#(preferences)}"#)
        return scene
    }

    @discardableResult func sql(_ text: String) throws -> String { try scene.sql(text) }

    /// What tells `nudged` of the service.
    func environment(_ changes: [String: String?] = [:]) -> [String: String?] {
        let own: [String: String?] = [
            "DECISION_URL": "https://localhost:\(service.port)/planted-path", "DECISION_TOKEN": Self.token,
            "DECISION_CA_FILE": "\(scene.folder)/service-ca.pem", "DECISION_TIMEOUT": "20s",
            "SCHEDULE_INTERVAL": "100ms",
        ]
        return own.merging(changes) { $1 }
    }

    func once(_ changes: [String: String?] = [:]) async throws -> Scene.Run {
        try await scene.nudged(["run", "--once", "--json"], environment(changes), within: .seconds(90))
    }

    /// An answer of the service.
    static func answer(_ notify: Bool, _ more: String = "") -> [HTTPSAct] {
        let reason = #""priority": "high", "reason": "because it is so""#
        return HTTPSAct.answer(200, #"{"should_notify": \#(notify), \#(reason)\#(more)}"#)
    }

    @discardableResult
    func send(_ user: Int, _ more: String = "") throws -> String {
        try scene.sql("select (nudged_api.send('\(Scene.user(user))', 'Ann', '\(Self.text)'\(more))).id")
    }

    /// What the service was asked, in the order of arrival.
    func questions() throws -> [JSONValue] { try service.seen.now.requests.map { try JSONValue(parsing: $0.body) } }

    /// The alerts' texts that Apple accepted.
    func bodies() throws -> [JSONValue?] {
        try scene.simulator.snapshot().accepted.map { try JSONValue(parsing: $0.payload)["aps"]?["alert"]?["body"] }
    }

    func expectNoText() throws {
        for text in [Self.text, Self.answerText] { try scene.expectGone(text) }
    }

    func wait(_ process: ChildProcess, for condition: String) async throws {
        try await scene.wait(for: condition, of: process)
    }
}
