import Store

/// The database's schema is not this version's.
public struct SchemaError: Error, Sendable, CustomStringConvertible {
    let standing: Migrator.Standing

    /// What it is, and what to do.
    public var description: String { standing.words }
}
