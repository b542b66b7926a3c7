import AsyncHTTPClient
import Crypto
import Foundation
import NIOHTTP1

/// An object of a listing.
struct S3Object: Sendable, Hashable {
    /// The key without the prefix of the location.
    var key: String
    var byteCount: Int
}

/// The operations on objects. Keys are without the prefix of the location.
extension S3Client {
    /// Stores small data.
    func put(_ data: Data, as key: String) async throws {
        _ = try await missingKeyIsFailure {
            try await send(S3Request(method: .PUT, key: location.prefix + key, body: .data(data)))
        }
    }

    /// Stores a file, in parts if it is large, and checks that the object has its size.
    ///
    /// - Parameter hash: The SHA-256 of the file; nil to compute it.
    func put(_ file: LocalFile, as key: String, hash: BlobHash? = nil) async throws {
        try await missingKeyIsFailure {
            if file.byteCount > S3Client.partSize {
                try await putInParts(file, as: key)
            } else {
                let all = 0..<file.byteCount
                let hash = if let hash { hash } else { try await file.hash(of: all) }
                _ = try await send(
                    S3Request(method: .PUT, key: location.prefix + key, body: .file(file, all, hash))
                )
            }
        }
        guard try await byteCount(of: key) == file.byteCount else {
            throw S3Failure.invalidReply(reason: "the stored object has another size than the file").error(
                for: location
            )
        }
    }

    /// The size of an object in bytes; nil if it does not exist.
    func byteCount(of key: String) async throws -> Int? {
        do {
            let head = try await send(S3Request(method: .HEAD, key: location.prefix + key)).head
            guard let size = head.headers.first(name: "content-length").flatMap({ Int($0) }), size >= 0 else {
                throw S3Failure.invalidReply(reason: "an answer without a length").error(for: location)
            }
            return size
        } catch let failure as S3Failure where failure.isMissingKey {
            // The answer to HEAD has no body, so that it does not show whether the bucket is missing.
            try await check()
            return nil
        }
    }

    /// Removes an object; does nothing if it does not exist.
    func delete(_ key: String) async throws {
        do {
            _ = try await send(S3Request(method: .DELETE, key: location.prefix + key))
        } catch let failure as S3Failure where failure.isMissingKey {}
    }

    /// Removes all objects whose keys begin with a text.
    func deleteAll(below prefix: String) async throws {
        for object in try await objects(below: prefix) { try await delete(object.key) }
    }

    /// Checks that the bucket exists and that it can be listed.
    func check() async throws {
        let query: S3Signer.Fields = [("list-type", "2"), ("max-keys", "1"), ("prefix", location.prefix)]
        _ = try await missingKeyIsFailure { try await send(S3Request(query: query)) }
    }

    /// Runs an operation for which a missing key is an error of the storage.
    func missingKeyIsFailure<Value>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Value
    ) async throws -> Value {
        do { return try await body() } catch let failure as S3Failure { throw failure.error(for: location) }
    }
}

extension LocalFile {
    /// The SHA-256 of a part.
    func hash(of range: Range<Int>) async throws -> BlobHash {
        var digest = SHA256()
        for try await piece in bytes(in: range) {
            piece.withUnsafeReadableBytes { digest.update(bufferPointer: $0) }
        }
        return BlobHash(digest.finalize())
    }
}
