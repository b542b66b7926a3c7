import Crypto
import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird

/// A request for an object by a signed address in the V4 format of Cloud Storage, with the bucket in the path:
/// `/{bucket}/{object}?X-Goog-Algorithm=…`. (cloud.google.com/storage/docs/access-control/signed-urls)
struct SignedObjectRequest: Sendable {
    static let algorithmField = "X-Goog-Algorithm"
    private static let algorithm = "GOOG4-RSA-SHA256"
    static let signatureField = "X-Goog-Signature"
    /// Seven days.
    private static let maximumLifetime: Int64 = 604_800

    /// The service account that signed the address: `name@project.iam.gserviceaccount.com`.
    let account: String
    /// The id of the account's project.
    let project: String
    let address: ObjectAddress
    private let signedText: String
    private let signature: Data
    /// In milliseconds since 1970.
    private let validity: Range<Int64>

    /// Parses a request without verifying its signature.
    init(_ request: APIRequest) throws(HubError) {
        let query = request.query
        let malformed = HubError(
            .invalidArgument,
            "The signed address is malformed; sign it again, as V4 with the bucket in the path."
        )
        guard query[Self.algorithmField] == Self.algorithm, let credential = query["X-Goog-Credential"],
            let date = query["X-Goog-Date"], let start = Self.moment(date),
            let lifetime = query["X-Goog-Expires"].flatMap({ Int64($0) }),
            (1...Self.maximumLifetime).contains(lifetime),
            let signature = query[Self.signatureField].flatMap(Self.bytes),
            let names = query["X-Goog-SignedHeaders"]?.split(separator: ";").map(String.init), names.contains("host")
        else { throw malformed }
        // email/date/place/storage/goog4_request
        let parts = credential.split(separator: "/", omittingEmptySubsequences: false)
        let suffix = ".iam.gserviceaccount.com"
        guard parts.count == 5, parts[3] == "storage", parts[4] == "goog4_request", date.hasPrefix(parts[1]),
            parts[0].hasSuffix(suffix), let at = parts[0].firstIndex(of: "@"), request.path.count >= 2
        else { throw malformed }
        account = String(parts[0])
        project = String(parts[0][parts[0].index(after: at)...].dropLast(suffix.count))
        address = try ObjectAddress(bucket: request.path[0], name: try Self.objectName(request.target))
        self.signature = signature
        let begin = start.milliseconds - 15 * 60_000
        validity = begin..<start.milliseconds + lifetime * 1000
        let scope = parts.dropFirst().joined(separator: "/")
        let digest = SHA256.hash(data: Data(try Self.canonicalText(request, headers: names).utf8))
        signedText = [Self.algorithm, date, scope, digest.hexadecimalText].joined(separator: "\n")
    }

    /// Whether the signature belongs to a public key.
    func isSigned(by pem: String) -> Bool { RSASignatures.isValid(signature, of: signedText, by: pem) }

    /// Whether the request is valid at a moment. The signer's clock may be fast by a quarter of an hour.
    func isValid(at moment: Timestamp) -> Bool { validity.contains(moment.milliseconds) }

    /// Everything after the bucket, including slashes.
    private static func objectName(_ target: String) throws(HubError) -> String {
        let path = target.prefix { $0 != "?" }.dropFirst()
        guard let slash = path.firstIndex(of: "/"),
            let name = String(path[path.index(after: slash)...]).removingPercentEncoding
        else { throw .invalidArgument }
        return name
    }

    /// The signed text of the request: the method, the path, the sorted query without the signature, the headers, and a
    /// note that the body is not signed.
    private static func canonicalText(_ request: APIRequest, headers names: [String]) throws(HubError) -> String {
        let parts = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = (parts.count > 1 ? parts[1] : "").split(separator: "&")
            .filter { !$0.hasPrefix("\(signatureField)=") }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        var headers = ""
        for name in names {
            let value: String?
            if name == "host" {
                value = request.authority
            } else {
                value = HTTPField.Name(name).flatMap { request.headers[$0] }
            }
            guard let value else {
                throw HubError(
                    .permissionDenied,
                    "The signed address requires the header \"\(name.prefix(40))\"; send it."
                )
            }
            headers += "\(name):\(value.trimmingCharacters(in: .whitespaces))\n"
        }
        let method = request.method.rawValue
        return [
            method, String(parts[0]), query.joined(separator: "&"), headers, names.joined(separator: ";"),
            "UNSIGNED-PAYLOAD",
        ].joined(separator: "\n")
    }

    /// The moment in a text such as 20261121T150000Z.
    private static func moment(_ text: String) -> Timestamp? {
        guard text.utf8.count == 16, text.hasSuffix("Z") else { return nil }
        var parts = DateComponents()
        func number(_ start: Int, _ count: Int) -> Int? { Int(text.dropFirst(start).prefix(count)) }
        parts.calendar = Calendar(identifier: .gregorian)
        parts.timeZone = TimeZone(secondsFromGMT: 0)
        (parts.year, parts.month, parts.day) = (number(0, 4), number(4, 2), number(6, 2))
        (parts.hour, parts.minute, parts.second) = (number(9, 2), number(11, 2), number(13, 2))
        return parts.date.map { Timestamp(milliseconds: Int64($0.timeIntervalSince1970) * 1000) }
    }

    /// The bytes of hexadecimal digits.
    private static func bytes(_ text: String) -> Data? {
        let digits = text.utf8.compactMap(\.hexadecimalValue)
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2), digits.count <= 2048 else { return nil }
        return Data(stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }
}

extension UInt8 {
    fileprivate var hexadecimalValue: UInt8? {
        switch self {
        case 48...57: self - 48
        case 97...102: self - 87
        case 65...70: self - 55
        default: nil
        }
    }
}
