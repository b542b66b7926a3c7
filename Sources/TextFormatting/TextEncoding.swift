import Foundation

/// The encodings of text files.
package enum TextEncoding {
    /// The bytes of a text file as UTF-8 without a byte order mark: Windows' programs begin files with one, and some write UTF-16.
    package static func utf8(_ data: Data) -> Data {
        if data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF]),
            let text = String(data: data, encoding: .utf16)
        {
            return Data(text.utf8)
        }
        return data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
    }
}
