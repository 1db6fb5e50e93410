extension Duration {
    /// Whole milliseconds, rounded down.
    package var milliseconds: Int64 { Int64(self / .milliseconds(1)) }
}
