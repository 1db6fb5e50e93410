/// Looks until it is so: for what nobody signals (another process's row, a file, a lock that is waited for). A hundred times a second, so that the
/// looking takes no processor from what is looked for.
/// - Returns: false where it was not so within the time, or the test was cancelled.
package func eventually(within time: Duration = .seconds(300), _ isSo: () async throws -> Bool) async rethrows -> Bool {
    let limit = ContinuousClock.now + time
    while try await !isSo() {
        guard ContinuousClock.now < limit, !Task.isCancelled else { return false }
        try? await Task.sleep(for: .milliseconds(10))
    }
    return true
}
