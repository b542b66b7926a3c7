// Firebase's umbrella module brings its apps, and Foundation, with it.
@_exported import FirebaseCore
@_exported import Foundation
