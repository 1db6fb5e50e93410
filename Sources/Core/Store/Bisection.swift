/// Finds the elements that the database refuses in a list. A refused list is tried again in halves, until one element
/// is left. A value: it says what to try next.
struct Bisection<Element> {
    /// The last one is tried next.
    private var pieces: [[Element]]
    /// True once a piece was refused or put back. Later pieces are tried with shorter time-outs.
    private(set) var isSearching = false

    init(_ all: [Element]) {
        pieces = all.isEmpty ? [] : [all]
    }

    /// The next piece to try; nil: none is left.
    mutating func next() -> [Element]? { pieces.popLast() }

    /// Replaces a refused piece by its two halves.
    ///
    /// - Returns: nil, or the element that was refused alone.
    mutating func refused(_ piece: [Element]) -> Element? {
        isSearching = true
        guard piece.count > 1 else { return piece.first }
        let middle = piece.count / 2
        pieces.append(Array(piece[middle...]))
        pieces.append(Array(piece[..<middle]))
        return nil
    }

    /// Puts a piece back unchanged.
    mutating func again(_ piece: [Element]) {
        isSearching = true
        if !piece.isEmpty { pieces.append(piece) }
    }

    /// Gives up. Returns what was not tried.
    mutating func giveUp() -> [Element] {
        defer { pieces = [] }
        return pieces.reversed().flatMap(\.self)
    }
}
