/// The simulated service's keys, limits and recording.
public struct SimulatorSettings: Sendable {
    /// A provider key as registered with Apple.
    public struct ProviderKey: Sendable, Equatable {
        /// The header `kid`.
        public var keyID: String
        /// The claim `iss`.
        public var teamID: String
        /// PEM text of the key, public or private.
        public var pem: String

        /// A key with its ids.
        public init(keyID: String, teamID: String, pem: String) {
            self.keyID = keyID
            self.teamID = teamID
            self.pem = pem
        }
    }

    /// How much is recorded.
    public enum Recording: Sendable, Equatable {
        /// Everything: about 300 bytes per push, and each different payload once.
        case everything
        /// Counts only.
        case counts
    }

    /// The keys whose tokens are valid. Default none.
    public var keys: [ProviderKey]
    /// Whether provider tokens are checked. Default true.
    public var checksProviderToken = true
    /// Topics that the keys may push to; empty allows any valid topic. Default empty.
    public var topics: Set<String> = []
    /// MAX_CONCURRENT_STREAMS until the first accepted push. Default 1, like Apple.
    public var firstStreams: UInt32 = 1
    /// MAX_CONCURRENT_STREAMS after it. Default 1,000, like Apple.
    public var streams: UInt32 = 1_000
    /// How long a provider token is valid, in seconds. Default 3,600.
    public var tokenLifetime: Int64 = 3_600
    /// How far `iat` may be in the future, in seconds, since hosts' clocks differ. Default 60.
    public var tokenLeeway: Int64 = 60
    /// The shortest time between two new tokens on a connection, in seconds. Default 1,200.
    public var tokenRenewal: Int64 = 1_200
    /// The largest payload in bytes; a quarter more for voip. Default 4,096.
    public var payloadLimit = 4_096
    /// Whether answers have a `date` by the script's clock, as Apple's do. Default false, because a benchmark doesn't
    /// need it.
    public var saysDate = false
    /// How much is recorded in memory.
    public var recording = Recording.everything
    /// A file to which one JSON line is appended for each accepted push; nil for none.
    public var logPath: String?

    /// The defaults, with these keys.
    public init(keys: [ProviderKey] = []) {
        self.keys = keys
    }
}
