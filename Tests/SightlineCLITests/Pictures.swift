import Foundation
import Sightline
import SightlineMedia

/// Pictures for the command to look at.
enum Pictures {
    /// A PNG of one color.
    static func png(red: UInt8 = 0, green: UInt8 = 0, blue: UInt8 = 0, width: Int = 40, height: Int = 20) throws -> Data
    {
        let rows = Data((0..<width * height).flatMap { _ in [red, green, blue] })
        let pixels = try PixelBuffer(
            format: .rgb,
            width: width,
            height: height,
            planes: [.init(data: rows, bytesPerRow: width * 3)]
        )
        return try pixels.encoded(as: .png)
    }

    /// Writes files, making the folders that they need.
    static func write(_ files: [String: Data], in folder: URL) throws {
        for (name, data) in files {
            let url = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try data.write(to: url)
        }
    }
}
