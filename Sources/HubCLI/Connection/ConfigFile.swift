import Foundation
import ModelHubServer

/// A template in a file, with the ETag of the version from which it was made.
struct ConfigFile: Encodable {
    private enum Key: String, CodingKey {
        case etag, version
    }

    private struct Origin: Codable {
        struct Version: Codable {
            var versionNumber: String?
        }

        var etag: String?
        var version: Version?
    }

    var template: ConfigTemplate
    var etag: String?
    var version: String?

    init(_ fetched: FetchedTemplate) {
        (template, etag, version) = (fetched.template, fetched.etag, fetched.version)
    }

    /// - Throws: `CommandError` with the place of the mistake in the file.
    init(path: String) throws {
        let data: Data
        if path == "-" {
            data = (try? FileHandle.standardInput.readToEnd()) ?? Data()
        } else {
            guard let content = try? Data(contentsOf: URL(filePath: path)) else {
                throw CommandError("\(path) cannot be read; name a file from `sightline hub config get`.")
            }
            data = content
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw CommandError("\(path) is not UTF-8; save it as UTF-8.")
        }
        do {
            template = try ConfigTemplate(json: text)
        } catch {
            throw CommandError("\(path): \(error)")
        }
        let origin = try? JSONDecoder().decode(Origin.self, from: data)
        (etag, version) = (origin?.etag, origin?.version?.versionNumber)
    }

    func encode(to encoder: any Encoder) throws {
        try template.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(etag, forKey: .etag)
        try container.encodeIfPresent(version.map { Origin.Version(versionNumber: $0) }, forKey: .version)
    }

    /// The template as JSON, for editing.
    func text() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
}
