import Foundation
import SightlineImages

/// Generated pictures.
public enum Pictures {
    /// A PNG of one color.
    public static func png(
        red: UInt8 = 0,
        green: UInt8 = 0,
        blue: UInt8 = 0,
        width: Int = 40,
        height: Int = 20
    ) throws -> Data {
        try png(width: width, height: height) { _ in [red, green, blue] }
    }

    /// A PNG of black and white columns, each one pixel wide.
    public static func stripes(width: Int = 40, height: Int = 20) throws -> Data {
        try png(width: width, height: height) { column in Array(repeating: UInt8(column % 2 * 255), count: 3) }
    }

    /// A black JPEG.
    public static func jpeg(width: Int, height: Int) throws -> Data {
        let pixels = try PixelBuffer(
            format: .rgb,
            width: width,
            height: height,
            planes: [.init(data: Data(count: width * height * 3), bytesPerRow: width * 3)]
        )
        return try pixels.encoded(as: .jpeg)
    }

    private static func png(width: Int, height: Int, color: (_ column: Int) -> [UInt8]) throws -> Data {
        let rows = Data((0..<height).flatMap { _ in (0..<width).flatMap(color) })
        let pixels = try PixelBuffer(
            format: .rgb,
            width: width,
            height: height,
            planes: [.init(data: rows, bytesPerRow: width * 3)]
        )
        return try pixels.encoded(as: .png)
    }

    /// Writes files, making the folders that they need.
    public static func write(_ files: [String: Data], in folder: URL) throws {
        for (name, data) in files {
            let url = folder.appending(path: name)
            let parent = url.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            try data.write(to: url)
        }
    }
}
