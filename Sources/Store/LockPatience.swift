/// How long a migration waits for others' locks. While it waits for a table of the app's, everyone who comes after waits behind it; so it waits
/// briefly, gives way, and tries again.
struct LockPatience: Sendable {
    /// For one lock.
    var wait = Duration.seconds(3)
    /// Between two attempts at a migration.
    var pause = Duration.seconds(3)
    /// After so many, the error is the caller's.
    var attempts = 20
}
