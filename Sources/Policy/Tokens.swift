/// The tokens of a text, by docs/POLICY.md, "Messages": the longest runs of scalars of the categories L, N or M, in
/// lower case. A scalar of a script without spaces is a token by itself.
///
/// Scalars, not characters: one grapheme can contain scalars of two tokens.
struct Tokens: Sequence, IteratorProtocol {
    private var scalars: String.UnicodeScalarView.Iterator
    /// A scalar that ended the last run and is a token by itself.
    private var pending: Unicode.Scalar?

    init(_ text: String) {
        scalars = text.unicodeScalars.makeIterator()
    }

    mutating func next() -> String? {
        if let scalar = pending {
            pending = nil
            return scalar.properties.lowercaseMapping
        }
        var run = String.UnicodeScalarView()
        while let scalar = scalars.next() {
            switch Self.kind(scalar) {
            case .separator:
                if !run.isEmpty { return String(run) }
            case .ideograph:
                guard !run.isEmpty else { return scalar.properties.lowercaseMapping }
                pending = scalar
                return String(run)
            case .letter:
                Self.append(scalar, to: &run)
            }
        }
        return run.isEmpty ? nil : String(run)
    }

    private enum Kind {
        case separator
        case letter
        case ideograph
    }

    private static func append(_ scalar: Unicode.Scalar, to run: inout String.UnicodeScalarView) {
        guard !scalar.isASCII else {
            let isUpper = ("A"..."Z").contains(scalar)
            run.append(isUpper ? Unicode.Scalar(UInt8(scalar.value) + 32) : scalar)
            return
        }
        run.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
    }

    private static func kind(_ scalar: Unicode.Scalar) -> Kind {
        if scalar.isASCII {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9": return .letter
            default: return .separator
            }
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .nonspacingMark, .spacingMark, .enclosingMark:
            return isWrittenWithoutSpaces(scalar.value) ? .ideograph : .letter
        default:
            return .separator
        }
    }

    private static func isWrittenWithoutSpaces(_ value: UInt32) -> Bool {
        switch value {
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3040...0x30FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
            0xF900...0xFAFF, 0x20000...0x2FFFF:
            true
        default: false
        }
    }
}
