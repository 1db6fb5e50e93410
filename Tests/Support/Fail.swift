package import Testing

/// Fails the test, as in `guard … else { return fail("why") }`.
package func fail(_ why: Comment, sourceLocation: SourceLocation = #_sourceLocation) {
    Issue.record(why, sourceLocation: sourceLocation)
}
