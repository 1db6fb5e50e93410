/// How long a migration waits for locks. While it waits for one of the app's tables, later sessions wait behind it. So
/// it waits briefly, gives up the lock request, and tries again.
struct LockPatience: Sendable {
    /// For one lock.
    var wait = Duration.seconds(3)
    /// Between two attempts at a migration.
    var pause = Duration.seconds(3)
    /// After so many attempts the error is thrown.
    var attempts = 20
}
