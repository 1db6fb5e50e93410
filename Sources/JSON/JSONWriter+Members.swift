extension JSONWriter {
    /// A member. Nil becomes null.
    package mutating func put(_ key: String, _ text: String?) {
        self.key(key)
        string(text)
    }

    /// A member with an array.
    package mutating func list<T>(_ key: String, _ items: [T], _ write: (T, inout JSONWriter) -> Void) {
        self.key(key)
        beginArray()
        for item in items { write(item, &self) }
        endArray()
    }
}
