import Foundation
import NIOHTTP1

/// Large objects in parts: a lost connection costs a part and not the whole object.
extension S3Client {
    /// The size of a part in bytes. S3 permits at most 10,000 parts, and parts of at least 5 MiB.
    static let partSize = 64 << 20

    func putInParts(_ file: LocalFile, as key: String) async throws {
        let whole = location.prefix + key
        let begun = try await reply(S3Request(method: .POST, key: whole, query: [("uploads", "")]))
        guard let upload = begun.fields["UploadId"], !upload.isEmpty else {
            throw S3Failure.invalidReply(reason: "no id for an upload in parts").error(for: location)
        }
        do {
            var tags: [String] = []
            for start in stride(from: 0, to: file.byteCount, by: Self.partSize) {
                let range = start..<min(start + Self.partSize, file.byteCount)
                let part = S3Request(
                    method: .PUT,
                    key: whole,
                    query: [("partNumber", "\(tags.count + 1)"), ("uploadId", upload)],
                    body: .file(file, range, try await file.hash(of: range))
                )
                guard let tag = try await send(part).head.headers.first(name: "etag"), Self.isTag(tag) else {
                    throw S3Failure.invalidReply(reason: "no ETag for a part").error(for: location)
                }
                tags.append(tag)
            }
            try await complete(whole, upload, tags)
        } catch {
            // In a separate task, since the caller's task may be canceled. If it fails, the storage keeps the parts until
            // its own rule for incomplete uploads removes them.
            _ = try? await Task {
                try await send(S3Request(method: .DELETE, key: whole, query: [("uploadId", upload)]))
            }.value
            throw error
        }
    }

    private func complete(_ key: String, _ upload: String, _ tags: [String]) async throws {
        let parts = tags.enumerated().map { number, tag in
            "<Part><PartNumber>\(number + 1)</PartNumber><ETag>\(tag)</ETag></Part>"
        }
        let list = "<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>"
        // A failure can follow a status of success, because the server answers before it is done.
        let reply = try await reply(
            S3Request(method: .POST, key: key, query: [("uploadId", upload)], body: .data(Data(list.utf8)))
        )
        // Servers give the root of a success different names.
        guard reply.root != "Error", reply.fields["ETag"] != nil else {
            throw S3Failure.refused(status: 200, code: reply.fields["Code"]).error(for: location)
        }
    }

    private func reply(_ request: S3Request) async throws -> S3Reply {
        guard let reply = S3Reply(try await send(request).body) else {
            throw S3Failure.invalidReply(reason: "an answer that is not XML").error(for: location)
        }
        return reply
    }

    /// Whether an ETag needs no escape in XML, except for its quotes.
    private static func isTag(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count)
            && text.utf8.allSatisfy { (33...126).contains($0) && $0 != 60 && $0 != 62 && $0 != 38 }
    }
}
