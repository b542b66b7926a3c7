import Foundation
import NIOHTTP1

/// A request to S3-compatible storage.
struct S3Request: Sendable {
    /// The body of a request.
    enum Body: Sendable {
        case data(Data)
        /// A part of a file, and its SHA-256.
        case file(LocalFile, Range<Int>, BlobHash)
    }

    var method = HTTPMethod.GET
    /// The whole key; empty for the bucket itself.
    var key = ""
    var query: S3Signer.Fields = []
    /// Fields with names in lower case.
    var fields: S3Signer.Fields = []
    var body = Body.data(Data())

    /// The number of bytes that are sent.
    var byteCount: Int {
        switch body {
        case .data(let data): data.count
        case .file(_, let range, _): range.count
        }
    }
}
