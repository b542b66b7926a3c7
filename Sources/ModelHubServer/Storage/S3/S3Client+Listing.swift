import Foundation

/// Listings (ListObjectsV2), which servers deliver in pages.
extension S3Client {
    /// All objects whose keys begin with a text.
    func objects(below prefix: String) async throws -> [S3Object] {
        try await list(prefix, delimiter: nil).compactMap { record in
            guard record.name == "Contents", let key = record.fields["Key"], key.hasPrefix(location.prefix),
                let size = record.fields["Size"].flatMap({ Int($0) })
            else { return nil }
            return S3Object(key: String(key.dropFirst(location.prefix.count)), byteCount: size)
        }
    }

    /// The names between a prefix, which ends with a slash, and the next slash of keys.
    func folders(in prefix: String) async throws -> [String] {
        let whole = location.prefix + prefix
        return try await list(prefix, delimiter: "/").compactMap { record in
            guard record.name == "CommonPrefixes", let folder = record.fields["Prefix"], folder.hasPrefix(whole) else {
                return nil
            }
            return String(folder.dropFirst(whole.count).prefix { $0 != "/" })
        }
    }

    private func list(_ prefix: String, delimiter: String?) async throws -> [S3Reply.Record] {
        var records: [S3Reply.Record] = []
        var token: String?
        repeat {
            var query: S3Signer.Fields = [("list-type", "2"), ("prefix", location.prefix + prefix)]
            if let delimiter { query.append(("delimiter", delimiter)) }
            if let token { query.append(("continuation-token", token)) }
            let page = try await page(query)
            records += page.records
            let next = page.fields["IsTruncated"] == "true" ? page.fields["NextContinuationToken"] : nil
            guard next == nil || next != token else {
                throw S3Failure.invalidReply(reason: "a listing without an end").error(for: location)
            }
            token = next
        } while token != nil
        return records
    }

    private func page(_ query: S3Signer.Fields) async throws -> S3Reply {
        let body = try await missingKeyIsFailure { try await send(S3Request(query: query)).body }
        guard let reply = S3Reply(body), reply.root == "ListBucketResult" else {
            throw S3Failure.invalidReply(reason: "an answer that is not a listing").error(for: location)
        }
        return reply
    }
}
