import Foundation
import NIOCore

@testable import HTTPServing
@testable import ModelHubProtocol
@testable import ModelHubServer

extension FuzzTarget {
    /// Forms of pages, in pieces of any size: the first byte is the size of a piece.
    static let form = FuzzTarget(name: "form") { data in
        func read(_ size: Int) throws -> [String: [UInt8]] {
            var reader = try FormDataReader(contentType: "multipart/form-data; boundary=b")
            var fields: [String: [UInt8]] = [:]
            for piece in pieces(data.dropFirst(), size) {
                try reader.consume(piece) { field, bytes in
                    fields["\(field.name)\0\(field.fileName ?? "")", default: []] += Array(bytes.readableBytesView)
                }
            }
            try reader.finish()
            return fields
        }
        let whole = Result { try read(max(data.count, 1)) }
        let inPieces = Result { try read(Int(data.first ?? 1) % 40 + 1) }
        require((try? whole.get()) == (try? inPieces.get()), "a form is the same in pieces")
    }

    /// Uploads of Google's clients, in pieces of any size.
    static let upload = FuzzTarget(name: "upload") { data in
        func read(_ size: Int) throws -> [UInt8] {
            var upload = try MultipartUpload(contentType: "multipart/related; boundary=b")
            var content: [UInt8] = []
            for piece in pieces(data.dropFirst(), size) {
                try upload.consume(piece) { content += Array($0.readableBytesView) }
            }
            try upload.finish { content += Array($0.readableBytesView) }
            return content + Array(upload.description)
        }
        let whole = Result { try read(max(data.count, 1)) }
        let inPieces = Result { try read(Int(data.first ?? 1) % 40 + 1) }
        require((try? whole.get()) == (try? inPieces.get()), "an upload is the same in pieces")
    }

    private static func pieces(_ data: Data, _ size: Int) -> [ByteBuffer] {
        stride(from: data.startIndex, to: data.endIndex, by: size).map {
            ByteBuffer(bytes: data[$0..<min($0 + size, data.endIndex)])
        }
    }

    /// Fields of a request's head.
    static let headers = FuzzTarget(name: "headers") { data in
        let text = String(decoding: data, as: UTF8.self)
        _ = ByteRange(header: text, byteCount: 1000)
        _ = ContentRange(text)
        _ = (
            WireTime.date(text), RetryAfter.duration(text), EntityTag.list(text, contains: "a"), HeaderParameters(text)
        )
        if let bytes = Base64URL.data(text) {
            require(Base64URL.data(Base64URL.text(bytes)) == bytes, "base64url returns")
        }
    }

    /// Signed manifests, whose text has one form.
    static let manifest = FuzzTarget(name: "manifest") { data in
        let signed = try SignedManifest(data)
        require(signed.data == data, "a signed manifest has one form")
        let manifest = try signed.manifest()
        require(manifest.text == String(decoding: signed.body, as: UTF8.self), "a manifest has one form")
    }

    /// Bodies of requests and answers.
    static let jsonProtocol = FuzzTarget(name: "protocol") { data in
        func read<Value: Codable>(_: Value.Type) {
            guard let value = try? JSONDecoder().decode(Value.self, from: data) else { return }
            require(try !JSONEncoder().encode(value).isEmpty, "\(Value.self) can be written again")
        }
        read(InstallationRequest.self)
        read(OutcomeResource.self)
        read(ModelResource.self)
        read(RolloutInput.self)
        read(ExperimentResource.self)
        read(WebhookInput.self)
        read(KeyInput.self)
        read(ManifestText.self)
        read(ProjectInput.self)
        read(GrantInput.self)
        read(VersionChange.self)
        read(ModelCardChange.self)
    }
}
