extension Duration {
    /// Whole milliseconds. A fraction is cut off.
    package var milliseconds: Int64 { Int64(self / .milliseconds(1)) }
}
