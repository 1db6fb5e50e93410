/// A page of Prometheus' text format. It is parsed strictly by the format's description, without nudged's writer.
package struct ReadMetrics: Sendable, Equatable {
    package struct Sample: Sendable, Equatable {
        package let name: String
        package let labels: [[String]]
        package let value: Double
    }

    package struct Family: Sendable, Equatable {
        package let name: String
        package let help: String
        package let kind: String
        package var samples: [Sample]
    }

    package struct Fault: Error { let line: String }

    /// In the order of the page.
    package private(set) var families: [Family] = []

    package init(_ text: String) throws(Fault) {
        guard text.isEmpty || text.unicodeScalars.last == "\n" else { throw Fault(line: "the last line has no end") }
        // By scalars: to Swift a carriage return and a line feed are one character.
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        var help: (name: String, text: String)?
        for line in lines.map({ String($0) }) {
            if line.utf8.starts(with: "# HELP ".utf8) {
                let rest = line.unicodeScalars.dropFirst(7)
                guard help == nil, let space = rest.firstIndex(of: " ") else { throw Fault(line: line) }
                let text = Substring(rest[rest.index(after: space)...])
                help = (String(rest[..<space]), try Self.unescaped(text, line))
            } else if line.utf8.starts(with: "# TYPE ".utf8) {
                let parts = line.split(separator: " ")
                guard parts.count == 4, let said = help, said.name == parts[2],
                    !families.contains(where: { $0.name == parts[2] })
                else { throw Fault(line: line) }
                families.append(Family(name: said.name, help: said.text, kind: String(parts[3]), samples: []))
                help = nil
            } else {
                guard help == nil, !families.isEmpty else { throw Fault(line: line) }
                let sample = try Self.sample(line)
                let family = families[families.count - 1]
                let suffixes = family.kind == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
                guard suffixes.contains(where: { family.name + $0 == sample.name }) else { throw Fault(line: line) }
                families[families.count - 1].samples.append(sample)
            }
        }
        guard help == nil else { throw Fault(line: "help without a type") }
    }

    /// The value of the sample with just these labels; nil where there is none.
    package func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        families.flatMap(\.samples).first { sample in
            sample.name == name && Dictionary(sample.labels.map { ($0[0], $0[1]) }, uniquingKeysWith: { $1 }) == labels
        }?.value
    }

    /// The sum over all samples that have at least these labels.
    package func sum(_ name: String, _ labels: [String: String] = [:]) -> Double {
        families.flatMap(\.samples).filter { sample in
            sample.name == name && labels.allSatisfy { label in sample.labels.contains([label.key, label.value]) }
        }.reduce(0) { $0 + $1.value }
    }

    /// By scalars: to Swift a quote and the accent behind it are one character.
    private static func sample(_ line: String) throws(Fault) -> Sample {
        var rest = Substring(line).unicodeScalars
        let name = word(&rest)
        guard let first = name.unicodeScalars.first, !("0"..."9").contains(first) else { throw Fault(line: line) }
        var labels: [[String]] = []
        if rest.first == "{" {
            rest.removeFirst()
            while rest.first != "}" {
                let label = word(&rest)
                guard !label.isEmpty, rest.popFirst() == "=", rest.popFirst() == "\"" else { throw Fault(line: line) }
                var raw = String.UnicodeScalarView()
                while let scalar = rest.first, scalar != "\"" {
                    raw.append(rest.removeFirst())
                    if scalar == "\\", !rest.isEmpty { raw.append(rest.removeFirst()) }
                }
                guard rest.popFirst() == "\"" else { throw Fault(line: line) }
                labels.append([label, try unescaped(Substring(String(raw)), line, quote: true)])
                if rest.first == "," { rest.removeFirst() }
            }
            rest.removeFirst()
        }
        guard rest.popFirst() == " ", let value = number(Substring(rest)) else { throw Fault(line: line) }
        return Sample(name: name, labels: labels, value: value)
    }

    private static func word(_ rest: inout Substring.UnicodeScalarView) -> String {
        var word = String.UnicodeScalarView()
        while let scalar = rest.first,
            scalar.properties.isAlphabetic && scalar.isASCII || scalar == "_" || ("0"..."9").contains(scalar)
        {
            word.append(rest.removeFirst())
        }
        return String(word)
    }

    private static func number(_ text: Substring) -> Double? {
        switch text {
        case "+Inf": .infinity
        case "-Inf": -.infinity
        case "NaN": .nan
        default: Double(text)
        }
    }

    private static func unescaped(_ text: Substring, _ line: String, quote: Bool = false) throws(Fault) -> String {
        var result = String.UnicodeScalarView()
        var scalars = text.unicodeScalars
        while let scalar = scalars.popFirst() {
            guard scalar == "\\" else {
                result.append(scalar)
                continue
            }
            switch scalars.popFirst() {
            case "n": result.append("\n")
            case "\\": result.append("\\")
            case "\"" where quote: result.append("\"")
            default: throw Fault(line: "an escape that is none: \(line)")
            }
        }
        return String(result)
    }
}
