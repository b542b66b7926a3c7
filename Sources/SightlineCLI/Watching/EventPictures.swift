import DurableFiles
import Foundation
import Sightline
import SightlineMedia

/// Pictures of a camera's events in a folder, of which the oldest go.
///
/// A picture has the name of its date and its event, such as `2026-11-25T22-31-05.123Z-entered-12.jpg`. Other files of the folder stay.
actor EventPictures {
    /// The folder, and how much stays in it.
    struct Options: Sendable, Hashable {
        /// The path of the folder.
        let folder: String
        /// How long a picture stays.
        var keepingTime = Duration.seconds(7 * 86_400)
        /// The largest number of pictures.
        var maximumCount = 1000
    }

    private let options: Options
    /// The names of the pictures, oldest first; nil before the folder was read.
    private var names: [String]?
    private var renderer = PictureRenderer()

    init(_ options: Options) { self.options = options }

    /// Writes the picture of a frame, and removes old pictures. Called on `FileExecutor`, since it encodes and waits for the disk.
    ///
    /// - Returns: the picture as a JPEG.
    func add(_ analyzed: AnalyzedFrame, _ outlines: [AnnotatedScene.Outline], of event: String, at date: Date) throws -> Data {
        let scene = AnnotatedScene(analyzed.result, outlines: outlines)
        let drawn = try renderer.render(scene, on: analyzed.frame)
        let jpeg = try drawn.image.upright().encoded(as: .jpeg)
        var known = try names ?? Self.pictures(in: options.folder)
        let name = "\(Self.text(date))-\(event).jpg"
        try PictureFile.write(jpeg, to: "\(options.folder)/\(name)", createsFolder: true)
        known.append(name)
        let oldest = Self.text(date.addingTimeInterval(-(options.keepingTime / .seconds(1))))
        while let first = known.first, known.count > options.maximumCount || first < oldest {
            try? FileManager.default.removeItem(atPath: "\(options.folder)/\(first)")
            known.removeFirst()
        }
        names = known
        return jpeg
    }

    private static func pictures(in folder: String) throws -> [String] {
        guard InputSequence.isFolder(folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-[A-Za-z]+-\d+\.jpg/) != nil }
            .sorted()
    }

    /// The date in UTC, so that names sort by time; without colons, which some systems refuse in names.
    private static func text(_ date: Date) -> String {
        date.formatted(.iso8601.year().month().day().timeZone(separator: .omitted).time(includingFractionalSeconds: true))
            .replacing(":", with: "-")
    }
}
