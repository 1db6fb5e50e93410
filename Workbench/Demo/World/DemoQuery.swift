/// The statements in the folder `SQL`, one case per file, embedded at build time.
enum DemoQuery: String, Sendable {
    case appTables = "app_tables"
    case insertProfiles = "insert_profiles"
    case insertTokens = "insert_tokens"
    case changePreferences = "change_preferences"
    case stampTouches = "stamp_touches"
    case tokensLeft = "tokens_left"
    case record

    var sql: String { String(decoding: bytes, as: UTF8.self) }

    private var bytes: [UInt8] {
        switch self {
        case .appTables: PackageResources.app_tables_sql
        case .insertProfiles: PackageResources.insert_profiles_sql
        case .insertTokens: PackageResources.insert_tokens_sql
        case .changePreferences: PackageResources.change_preferences_sql
        case .stampTouches: PackageResources.stamp_touches_sql
        case .tokensLeft: PackageResources.tokens_left_sql
        case .record: PackageResources.record_sql
        }
    }
}
