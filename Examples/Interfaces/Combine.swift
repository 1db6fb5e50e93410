// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The part of Apple's Combine that NudgedKit uses, as in UserNotifications.swift. Declared after
// <https://developer.apple.com/documentation/combine>.

public protocol ObservableObject: AnyObject {}

@propertyWrapper
public struct Published<Value> {
    public var wrappedValue: Value
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}
