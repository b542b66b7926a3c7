import Foundation
import HTTPTypes
import SightlineTesting

extension Reply {
    /// The value of the JSON at a path of names and indices, such as `outputs.0.name`; nil if there is none.
    func value(_ path: String) -> Any? {
        var value: Any? = try? JSONSerialization.jsonObject(with: body)
        for part in path.split(separator: ".") {
            if let list = value as? [Any] {
                value = Int(part).flatMap { list.indices.contains($0) ? list[$0] : nil }
            } else {
                value = (value as? [String: Any])?[String(part)]
            }
        }
        return value
    }

    func string(_ path: String) -> String? { value(path) as? String }
    func number(_ path: String) -> Double? { (value(path) as? NSNumber)?.doubleValue }
    func count(_ path: String) -> Int? { (value(path) as? [Any])?.count }
}

extension TestServer {
    /// Posts JSON.
    func post(_ target: String, json: Any) async throws -> Reply {
        let body = try JSONSerialization.data(withJSONObject: json)
        return try await send(.post, target, body, headers: [.contentType: "application/json"])
    }
}

extension TestScene {
    /// Two blocks on gray.
    static let redAndBlue = TestScene(blocks: [
        .init(.red, column: 2, row: 3, columns: 4, rows: 3), .init(.blue, column: 9, row: 6, columns: 3, rows: 3),
    ])

    /// A picture of a single color.
    static func plain(_ color: Color) -> TestScene {
        TestScene(blocks: [.init(color, column: 0, row: 0, columns: 16, rows: 12)])
    }

    /// The scene as an address that holds the picture.
    func address() throws -> String { "data:image/png;base64,\(try png().base64EncodedString())" }
}
