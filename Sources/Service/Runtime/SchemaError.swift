package import Store

/// The database's schema is not this version's.
package struct SchemaError: Error, Sendable, CustomStringConvertible {
    package let standing: Migrator.Standing

    package init(standing: Migrator.Standing) {
        self.standing = standing
    }

    /// What it is, and what to do.
    package var description: String { standing.words }
}
