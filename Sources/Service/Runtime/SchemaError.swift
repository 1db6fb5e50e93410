package import Core

/// This version can't work with the database's schema.
package struct SchemaError: Error, Sendable, CustomStringConvertible {
    package let schemaState: Migrator.SchemaState

    package init(schemaState: Migrator.SchemaState) {
        self.schemaState = schemaState
    }

    package var description: String { schemaState.text }
}
