extension JSONWriter {
    /// The text of one object, whose members `write` writes.
    package static func text(_ write: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter()
        json.object(write)
        return json.string
    }

    /// An object, whose members `write` writes.
    package mutating func object(_ write: (inout JSONWriter) -> Void) {
        beginObject()
        write(&self)
        endObject()
    }

    /// A member. Nil becomes null.
    package mutating func put(_ key: String, _ text: String?) {
        self.key(key)
        string(text)
    }

    package mutating func put(_ key: String, _ number: some FixedWidthInteger) {
        self.key(key)
        int(number)
    }

    package mutating func put(_ key: String, _ flag: Bool) {
        self.key(key)
        bool(flag)
    }

    /// A member with an array.
    package mutating func list<T>(_ key: String, _ items: [T], _ write: (T, inout JSONWriter) -> Void) {
        self.key(key)
        beginArray()
        for item in items { write(item, &self) }
        endArray()
    }
}
