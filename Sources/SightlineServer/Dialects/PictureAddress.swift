import Foundation
import HTTPServing

/// The address of a picture in a document: `data:image/jpeg;base64,…`, which holds the picture itself (RFC 2397), or an address of the
/// web.
enum PictureAddress {
    /// The picture that an address holds; nil if it is another address.
    ///
    /// - Parameter limit: the largest picture in bytes.
    /// - Throws: ``AnswerError``: 400 if the data is not in base64, 413 if it is too large.
    static func heldPicture(_ address: String, upTo limit: Int) throws(AnswerError) -> Data? {
        guard address.prefix(5).lowercased() == "data:" else { return nil }
        guard let comma = address.utf8.prefix(200).firstIndex(of: UInt8(ascii: ",")),
            address[..<comma].lowercased().hasSuffix(";base64")
        else {
            throw .invalid(
                "A picture's address begins with \"data:\" but not as data:image/jpeg;base64,…; encode it in base64."
            )
        }
        let text = address[address.utf8.index(after: comma)...]
        guard text.utf8.count / 4 <= limit / 3 + 1 else {
            throw AnswerError(
                .contentTooLarge,
                "A picture exceeds the server's limit of \(limit) bytes; compress or shrink it."
            )
        }
        guard let data = Data(base64Encoded: String(text)), !data.isEmpty else {
            throw .invalid("The picture in a data: address is not base64; encode it again.")
        }
        return data
    }
}

extension AnswerService {
    /// The picture at an address, which may hold the picture itself.
    ///
    /// - Parameters:
    ///   - authorization: the field `Authorization` for an address of the web.
    ///   - share: the memory of the request.
    /// - Throws: ``AnswerError``: as of ``PictureAddress``, and 403 for an address of the web that the server must not ask.
    func picture(
        at address: String,
        authorization: Secret? = nil,
        for client: AnswerClient,
        share: BodyMemory.Share
    ) async throws(AnswerError) -> Data {
        if let held = try PictureAddress.heldPicture(address, upTo: options.pictures.maximumBytes) {
            try share.take(held.count)
            return held
        }
        return try await fetcher.picture(at: address, authorization: authorization, for: client, share: share)
    }

    /// The body of a request as JSON with pictures in it.
    ///
    /// - Returns: the document, and the memory of the body.
    /// - Throws: ``AnswerError``: 400 if it is not such a document or has more values than any client sends, 413 if it is too large, 415
    ///   if the request does not say that it is JSON.
    func pictureDocument<Document: Decodable>(
        _ type: Document.Type,
        of request: APIRequest
    ) async throws(AnswerError) -> (document: Document, share: BodyMemory.Share) {
        try requireJSON(request)
        let body = try await body(of: request, upTo: 2 * options.pictures.maximumBytes)
        // Foundation's decoder needs some 25 bytes for each value, so that a body of commas would need 25 times its size. Base64 has
        // none of these characters.
        let values = body.data.lazy.count {
            $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{")
        }
        guard values <= 1_000_000 else {
            throw AnswerError(
                .contentTooLarge,
                "The JSON has more than a million values; send fewer tasks or pictures at once."
            )
        }
        do {
            return (try JSONDecoder().decode(type, from: body.data), body.share)
        } catch {
            throw .invalid(
                "The body is not the JSON that this address expects; /openapi.json describes it."
            )
        }
    }
}
