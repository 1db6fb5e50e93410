package import Store

/// This version can't work with the database's schema.
package struct SchemaError: Error, Sendable, CustomStringConvertible {
    package let standing: Migrator.Standing

    package init(standing: Migrator.Standing) {
        self.standing = standing
    }

    package var description: String { standing.words }
}
