/// The version that `--version` prints. CHANGELOG.md has the same.
enum Version {
    static let current = "0.1.0"
}
