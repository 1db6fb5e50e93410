import Glibc

/// The simulator's behaviour, as a value.
public struct SimulatorScript: Sendable {
    /// What the service knows and allows.
    public var settings: SimulatorSettings
    /// Wall seconds since 1970, against which tokens' ages are held and accepted pushes are stamped.
    public var now: @Sendable () -> Int64
    /// What is done with a good request for a device token; `attempt` counts the token's good requests from 1. Nil: accept.
    /// Called on the server's thread.
    public var perDevice: (@Sendable (_ token: String, _ attempt: Int) -> ScriptedAnswer?)?
    /// What is done with a good request, by all that it says and its stream; asked before `perDevice`, which is asked where it says nil.
    /// Called on the server's thread.
    public var perPush: (@Sendable (_ push: AcceptedPush, _ stream: Int32) -> ScriptedAnswer?)?
    /// Told of every push that is taken, before any answer to it leaves. Called on the server's thread.
    public var onAccepted: (@Sendable (_ push: AcceptedPush) -> Void)?
    /// What is done with a connection, by its number from 1. Called on the server's thread.
    public var perConnection: (@Sendable (_ number: Int) -> ConnectionScript?)?

    /// The system's clock.
    public static let wallClock: @Sendable () -> Int64 = { Int64(time(nil)) }

    /// Accepts everything that is good, unless told otherwise.
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
