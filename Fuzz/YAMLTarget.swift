import YAML

@testable import Configuration

/// Reads the input as YAML, and the document as a configuration file.
enum YAMLTarget {
    static func run(_ input: UnsafeRawBufferPointer) -> Int32 {
        let bytes = Array(input)
        do throws(YAMLError) {
            let root = try YAMLDocument.parse(bytes)
            require((try? YAMLDocument.parse(bytes)) == root, "two answers about one text")
            var size = Size()
            if let root { measure(root, depth: 0, &size) }
            // No part of a text is used twice, since aliases are refused. An escape of two bytes becomes at most three.
            require(size.bytes <= 3 * bytes.count, "\(size.bytes) bytes out of \(bytes.count)")
            require(size.nodes <= YAMLDocument.maximumNodes, "\(size.nodes) values")
            // Each unknown key is compared with all keys, which takes long under a sanitizer.
            if size.nodes <= 200 { checkConfiguration(bytes) }
        } catch {
            check(error, bytes)
        }
        return 0
    }

    private struct Size {
        var nodes = 0
        var bytes = 0
    }

    private static func measure(_ node: YAMLNode, depth: Int, _ size: inout Size) {
        require(depth <= YAMLDocument.maximumDepth, "nested \(depth) deep")
        require(node.mark.line >= 1 && node.mark.column >= 1, "a value at \(node.mark)")
        size.nodes += 1
        switch node.value {
        case .scalar(let text, _): size.bytes += text.utf8.count
        case .sequence(let items):
            for item in items { measure(item, depth: depth + 1, &size) }
        case .mapping(let entries):
            let keys = Set(entries.map(\.key))
            require(keys.count == entries.count, "a key twice")
            for entry in entries {
                size.bytes += entry.key.utf8.count
                measure(entry.value, depth: depth + 1, &size)
            }
        }
    }

    private static func check(_ error: YAMLError, _ bytes: [UInt8]) {
        let isPlace = (1...bytes.count + 2).contains(error.mark.line) && error.mark.column >= 1
        require(isPlace, "a fault at \(error.mark)")
        // A text of ours or of libyaml, which quotes nothing.
        let what = error.what.utf8
        require(what.count <= 200 && what.allSatisfy { (0x20...0x7E).contains($0) }, "says \(error.what)")
        do throws(YAMLError) {
            _ = try YAMLDocument.parse(bytes)
            require(false, "a fault that comes and goes")
        } catch let again {
            require(again == error, "two faults of one text")
        }
    }

    /// Each problem is a short line with its place, and repeats no secret.
    private static func checkConfiguration(_ bytes: [UInt8]) {
        let file = FileValues(path: "nudged.yaml", bytes)
        let values = EffectiveValues([file.values])
        for problem in file.problems + values.problems {
            let scalars = problem.description.unicodeScalars
            require(scalars.count <= 1_000, "a problem of \(scalars.count) scalars")
            require(problem.mark != nil, "a problem without a place")
            for scalar in scalars {
                let category = scalar.properties.generalCategory
                let isShown = ![.control, .format, .lineSeparator, .paragraphSeparator].contains(category)
                require(isShown, "a problem with U+\(String(scalar.value, radix: 16))")
            }
            guard let key = problem.key.flatMap({ ConfigurationKey.byName[$0] }), key.isSecret,
                let secret = file.values[key.name]?.text, secret.utf8.count >= 24
            else { continue }
            require(!Array(problem.what.utf8).contains(Array(secret.utf8)), "a problem that repeats a secret")
        }
    }
}
