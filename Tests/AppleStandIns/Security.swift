// swift-format-ignore-file
// The part of Security, and of Foundation together with it, that the package uses, as Apple documents it; nothing of it works.
@_exported import CoreGraphics
@_exported import Foundation
public import FoundationNetworking

public typealias CFArray = [Any]
public typealias OSStatus = Int32
public typealias CFError = NSError
public var errSecSuccess: OSStatus { 0 }

public final class SecTrust: @unchecked Sendable {
    init() {}
}
public final class SecCertificate: @unchecked Sendable {
    init() {}
}

public func SecCertificateCreateWithData(_ allocator: AnyObject?, _ data: CFData) -> SecCertificate? { nil }
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ certificates: CFArray?) -> OSStatus { 0 }
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ only: Bool) -> OSStatus { 0 }
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool { false }

extension URLProtectionSpace {
    public var serverTrust: SecTrust? { nil }
}
extension URLCredential {
    public convenience init(trust: SecTrust) { self.init(user: "", password: "", persistence: .none) }
}
