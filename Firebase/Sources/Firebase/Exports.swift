// Firebase's umbrella module also exports its apps and Foundation.
@_exported import FirebaseCore
@_exported import Foundation
