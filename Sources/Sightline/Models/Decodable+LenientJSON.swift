import Foundation

extension Decodable {
    /// Reads a JSON file that people or AutoML wrote, as JSON5: trailing commas and comments are fine.
    init(lenientJSON url: URL) throws {
        try self.init(lenientJSON: ModelText.content(of: url))
    }

    /// Reads such a file's bytes.
    init(lenientJSON data: Data) throws {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        self = try decoder.decode(Self.self, from: ModelText.checked(data))
    }
}
