#if !canImport(Network)
    import AsyncHTTPClient
    import Foundation
    import NIOCore
    import NIOPosix
    import NIOSSL

    /// The errors of a connection over AsyncHTTPClient, in words.
    enum ConnectionFailure {
        /// The cause of an error, as the part of a sentence.
        static func reason(_ error: any Error) -> String {
            switch error {
            case let error as HTTPClientError:
                return error.shortDescription.lowercased()
            case let error as NIOConnectionError:
                if let first = error.connectionErrors.first { return reason(first.error) }
                return "the name \(error.host) is unknown"
            case let error as IOError:
                return String(cString: strerror(error.errnoCode)).lowercased()
            case let error as NIOSSLError:
                let isUntrusted = "\(error)".contains("CERTIFICATE_VERIFY_FAILED")
                return isUntrusted ? "its certificate is not trusted" : "the TLS handshake failed"
            default:
                return "\(error)"
            }
        }
    }
#endif
