/// What the simulated service knows and allows.
public struct SimulatorSettings: Sendable {
    /// A provider key, as it was registered with Apple.
    public struct ProviderKey: Sendable, Equatable {
        /// The header `kid`.
        public var keyID: String
        /// The claim `iss`.
        public var teamID: String
        /// PEM text of the key, public or private.
        public var pem: String

        /// All three.
        public init(keyID: String, teamID: String, pem: String) {
            self.keyID = keyID
            self.teamID = teamID
            self.pem = pem
        }
    }

    /// How much of each push is kept.
    public enum Recording: Sendable, Equatable {
        /// All of it: about 300 bytes a push and its payload (equal payloads once).
        case everything
        /// Numbers only.
        case counts
    }

    /// The keys whose tokens are valid. Default none.
    public var keys: [ProviderKey]
    /// Whether the provider token is looked at. Default true.
    public var checksProviderToken = true
    /// Topics that the keys may push to; empty: any that is well formed. Default empty.
    public var topics: Set<String> = []
    /// MAX_CONCURRENT_STREAMS until the first push is accepted. Default 1, as Apple's.
    public var firstStreams: UInt32 = 1
    /// And from then on. Default 1,000, as Apple's.
    public var streams: UInt32 = 1_000
    /// Seconds that a provider token is good for. Default 3,600.
    public var tokenLifetime: Int64 = 3_600
    /// Seconds by which `iat` may be ahead of the clock. Default 60: hosts' clocks are never quite equal.
    public var tokenLeeway: Int64 = 60
    /// Seconds in which a connection may see one new token. Default 1,200.
    public var tokenRenewal: Int64 = 1_200
    /// Bytes of a payload; a quarter more for voip. Default 4,096.
    public var payloadLimit = 4_096
    /// Whether answers bear a `date` of the script's clock, as Apple's do. Default false: a benchmark's sender reads none.
    public var saysDate = false
    /// How much is kept in memory.
    public var recording = Recording.everything
    /// A file that gets one JSON line for each accepted push; nil: none.
    public var logPath: String?

    /// The defaults with these keys.
    public init(keys: [ProviderKey] = []) {
        self.keys = keys
    }
}
