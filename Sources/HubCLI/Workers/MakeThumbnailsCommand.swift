import ArgumentParser
import Foundation
import ProcessSandbox
import Sightline
import SightlineEvaluation

/// Makes thumbnails of pictures that were uploaded for an evaluation, in a separate process.
///
/// LIST has the paths of pictures as a JSON array of strings. Standard output has a line of JSON for each picture:
/// `{"path": "…", "jpeg": "…"}` with the JPEG in base64, or without `jpeg` if the picture cannot be read.
struct MakeThumbnailsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make-thumbnails",
        abstract: "Make thumbnails of pictures in an archive, in a sandbox."
    )

    @Argument(help: "The zip archive or folder of pictures.")
    var pictures: String

    @Argument(help: "The file with the pictures' paths.")
    var list: String

    private struct Line: Encodable {
        var path: String
        var jpeg: Data?
    }

    /// The longer side in pixels. Pages show thumbnails at half of this size, for dense screens.
    private static let maximumSide = 320

    func run() throws {
        var sandbox = ProcessSandbox(reading: [pictures, list])
        sandbox.processorSeconds = 20
        sandbox.enter()
        let paths = try JSONDecoder().decode([String].self, from: Data(contentsOf: URL(filePath: list)))
        let archive = try PictureFiles(contentsOf: URL(filePath: pictures))
        for path in paths {
            let line = Line(path: path, jpeg: try? Self.thumbnail(try archive.data(at: path)))
            try FileHandle.standardOutput.write(contentsOf: try JSONEncoder().encode(line) + Data("\n".utf8))
        }
    }

    private static func thumbnail(_ data: Data) throws -> Data {
        let image = try VisionImage(data: data, limits: ImageLimits(maximumPixels: 100_000_000))
        let side = max(image.size.width, image.size.height)
        let scale = min(Double(maximumSide) / Double(side), 1)
        let size = PixelSize(
            width: max(Int(Double(image.size.width) * scale), 1),
            height: max(Int(Double(image.size.height) * scale), 1)
        )
        return try image.upright(in: size).encoded(as: .jpeg)
    }
}
