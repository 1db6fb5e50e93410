import Glibc

/// The simulator's behaviour, as a value.
public struct SimulatorScript: Sendable {
    /// The service's keys, limits and recording.
    public var settings: SimulatorSettings
    /// Seconds since 1970. Checks the age of tokens and stamps accepted pushes.
    public var now: @Sendable () -> Int64
    /// The answer to a valid request for a device token. `attempt` counts the token's valid requests from 1. Nil
    /// accepts. Called on the server's thread.
    public var perDevice: (@Sendable (_ token: String, _ attempt: Int) -> ScriptedAnswer?)?
    /// The answer to a valid request, by the push and its stream. If it returns nil, `perDevice` decides. Called on the
    /// server's thread.
    public var perPush: (@Sendable (_ push: AcceptedPush, _ stream: Int32) -> ScriptedAnswer?)?
    /// Called for each accepted push, before its answer is written, on the server's thread.
    public var onAccepted: (@Sendable (_ push: AcceptedPush) -> Void)?
    /// The script of a connection, by its number from 1. Called on the server's thread.
    public var perConnection: (@Sendable (_ number: Int) -> ConnectionScript?)?

    /// The system's clock.
    public static let wallClock: @Sendable () -> Int64 = { Int64(time(nil)) }

    /// A script that accepts every valid request unless told otherwise.
    public init(
        settings: SimulatorSettings = SimulatorSettings(),
        now: @escaping @Sendable () -> Int64 = SimulatorScript.wallClock,
        perDevice: (@Sendable (_ token: String, _ attempt: Int) -> ScriptedAnswer?)? = nil,
        perConnection: (@Sendable (_ number: Int) -> ConnectionScript?)? = nil
    ) {
        self.settings = settings
        self.now = now
        self.perDevice = perDevice
        self.perConnection = perConnection
    }
}
