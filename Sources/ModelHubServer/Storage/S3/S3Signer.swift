import Crypto
import DurableFiles
import Foundation

/// Signs requests with AWS Signature Version 4.
///
/// (docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html)
struct S3Signer: Sendable {
    let credentials: S3Credentials
    let region: String

    typealias Fields = [(name: String, value: String)]

    /// The header fields of a request with its signature.
    ///
    /// - Parameters:
    ///   - path: The path, which is not escaped.
    ///   - query: The names and values, which are not escaped.
    ///   - fields: The other fields, all of which are signed, with names in lower case.
    ///   - payload: The SHA-256 of the body, as hexadecimal digits.
    func fields(
        _ method: String,
        host: String,
        path: String,
        query: Fields = [],
        fields: Fields = [],
        payload: String,
        at time: Timestamp
    ) -> Fields {
        let moment = Self.text(of: time)
        var all = fields + [("host", host), ("x-amz-content-sha256", payload), ("x-amz-date", moment)]
        if let token = credentials.sessionToken { all.append(("x-amz-security-token", token.text)) }
        all.sort { $0.name < $1.name }
        let names = all.map(\.name).joined(separator: ";")
        let request = [
            method, Self.escaped(path, except: "/"), Self.escaped(query),
            all.map { "\($0.name):\($0.value.trimmingCharacters(in: .whitespaces))\n" }.joined(), names, payload,
        ].joined(separator: "\n")
        let scope = "\(moment.prefix(8))/\(region)/s3/aws4_request"
        let signature = signature(of: "AWS4-HMAC-SHA256\n\(moment)\n\(scope)\n\(Self.digest(request))", scope)
        all.append(
            (
                "authorization",
                "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope),SignedHeaders=\(names),Signature=\(signature)"
            )
        )
        return all
    }

    private func signature(of text: String, _ scope: String) -> String {
        var key = SymmetricKey(data: Data("AWS4\(credentials.secretKey.text)".utf8))
        for part in scope.split(separator: "/") {
            key = SymmetricKey(data: HMAC<Crypto.SHA256>.authenticationCode(for: Data(part.utf8), using: key))
        }
        return HMAC<Crypto.SHA256>.authenticationCode(for: Data(text.utf8), using: key).hexadecimalText
    }

    /// The SHA-256 of a text, as hexadecimal digits.
    static func digest(_ text: String) -> String { Crypto.SHA256.hash(data: Data(text.utf8)).hexadecimalText }

    /// The names and values of a query in the order that the signature needs.
    static func escaped(_ query: Fields) -> String {
        query.map { (escaped($0.name), escaped($0.value)) }
            .sorted { $0 < $1 }
            .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }

    /// A text with escapes for all characters but those that RFC 3986 calls unreserved, and one other.
    static func escaped(_ text: String, except other: Unicode.Scalar? = nil) -> String {
        var result = ""
        for byte in text.utf8 {
            let character = Unicode.Scalar(byte)
            switch byte {
            case 65...90, 97...122, 48...57, 45, 46, 95, 126: result.unicodeScalars.append(character)
            case _ where character == other: result.unicodeScalars.append(character)
            default: result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }

    /// `20130524T000000Z`.
    private static func text(of time: Timestamp) -> String {
        "\(time)".prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
    }
}
