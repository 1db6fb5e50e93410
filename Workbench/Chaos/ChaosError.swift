/// Why a run can't begin.
public enum ChaosError: Error, Sendable, Equatable {
    /// A file that it needs can't be written.
    case file(String, errno: Int32)
}
