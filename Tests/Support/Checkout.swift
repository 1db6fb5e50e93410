import Foundation

/// The checkout that the tests were built from.
package enum Checkout {
    package static let root = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }

    package static func text(_ path: String) throws -> String {
        try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
    }

    /// The lines of a text in `Tests/Reference` that are no comments.
    package static func reference(_ name: String) throws -> [String] {
        try text("Tests/Reference/\(name).txt").split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
    }
}
