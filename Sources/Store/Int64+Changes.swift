extension Int64 {
    /// Of a person's version, the upper half: how often something changed that a decision is made on. The lower half counts what came to be sent since then:
    /// that makes the user due, and stops nothing that was decided before.
    package var changes: Int64 { self >> 32 }
}
