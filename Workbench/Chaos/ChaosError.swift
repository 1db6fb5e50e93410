/// A run can't begin.
public enum ChaosError: Error, Sendable, Equatable {
    /// A file can't be written.
    case file(String, errno: Int32)
}
