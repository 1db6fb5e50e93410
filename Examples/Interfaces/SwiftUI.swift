// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The part of Apple's SwiftUI that the sample app uses, as in UserNotifications.swift. Declared after
// <https://developer.apple.com/documentation/swiftui>.

public import Combine
public import Foundation

#if canImport(UIKit)
    public import UIKit
#else
    public import AppKit
#endif

@MainActor
public protocol App {
    associatedtype Body: Scene
    init()
    var body: Body { get }
}

extension App {
    public static func main() {}
}

@MainActor
public protocol Scene {}

@MainActor
public struct WindowGroup<Content: View>: Scene {
    public init(@ViewBuilder content: () -> Content) {}
}

@MainActor
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public typealias Body = Never
}

@resultBuilder
@MainActor
public enum ViewBuilder {
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> Views<repeat each Content> {
        Views()
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Views<Content> { Views() }
}

public struct Views<each Content: View>: View {
    public typealias Body = Never
    nonisolated init() {}
}

extension View where Body == Never {
    public var body: Never { fatalError() }
}

public struct Text: View {
    public typealias Body = Never
    public init(_ content: String) {}
}

public struct Button: View {
    public typealias Body = Never
    public init(_ title: String, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void) {}
}

public struct ButtonRole: Sendable {
    public static let cancel = ButtonRole()
}

public struct VStack<Content: View>: View {
    public typealias Body = Never
    public init(@ViewBuilder content: () -> Content) {}
}

extension View {
    public func task(_ action: @escaping @MainActor () async -> Void) -> some View { self }
    public func alert<Actions: View, Message: View>(
        _ title: String,
        isPresented: Binding<Bool>,
        @ViewBuilder actions: () -> Actions,
        @ViewBuilder message: () -> Message
    ) -> some View { self }
}

@MainActor
@propertyWrapper
public struct State<Value> {
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
}

@MainActor
@propertyWrapper
public struct EnvironmentObject<Object: ObservableObject> {
    public nonisolated init() {}
    public var wrappedValue: Object { fatalError() }
}

@MainActor
public struct Binding<Value> {
    public init(get: @escaping @MainActor () -> Value, set: @escaping @MainActor (Value) -> Void) {}
}

#if canImport(UIKit)
    @MainActor
    @propertyWrapper
    public struct UIApplicationDelegateAdaptor<Delegate: NSObject & UIApplicationDelegate> {
        public init(_ type: Delegate.Type = Delegate.self) {}
        public var wrappedValue: Delegate { fatalError() }
    }
#else
    @MainActor
    @propertyWrapper
    public struct NSApplicationDelegateAdaptor<Delegate: NSObject & NSApplicationDelegate> {
        public init(_ type: Delegate.Type = Delegate.self) {}
        public var wrappedValue: Delegate { fatalError() }
    }
#endif
