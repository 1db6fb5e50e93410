import NudgedKit
import SwiftUI

@main
struct SampleApp: App {
    #if canImport(UIKit)
        @UIApplicationDelegateAdaptor private var delegate: NudgedAppDelegate
    #else
        @NSApplicationDelegateAdaptor private var delegate: NudgedAppDelegate
    #endif

    var body: some Scene {
        WindowGroup { HomeView() }
    }
}
