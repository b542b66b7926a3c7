import CommandLineSupport
import DurableFiles
import Foundation
import Sightline
import SightlineMedia

/// One picture of many small ones in rows, each with a caption.
struct ContactSheet {
    /// A small picture.
    struct Cell: Sendable {
        /// Where the picture is.
        enum Source: Sendable {
            /// A file. An unreadable one leaves its place white.
            case file(String)
            /// The bytes of a picture.
            case bytes(Data)
        }

        let source: Source
        let caption: String
        let color: AnnotationColor
        /// The part of the upright picture to show around a place, which gets a box; nil for the whole picture.
        var place: PixelRect?

        /// The part of a picture that shows a place with its surroundings: a square three times as wide as the place, and at least 64 pixels.
        static func part(around place: PixelRect) -> PixelRect {
            let side = max(place.width, place.height, 64.0 / 3) * 3
            return PixelRect(x: place.midX - side / 2, y: place.midY - side / 2, width: side, height: side)
        }
    }

    private let rows: [[Cell?]]
    private let omittedCount: Int

    private static let side = 200
    private static let captionHeight = 28
    private static let gap = 8
    private static let columns = 6
    /// Larger sheets are hard to look at, and JPEG has a limit.
    private static let maximumRows = 200

    /// Lays out rows of pictures. A row that is too long continues below its second picture.
    init(rows: [[Cell]]) {
        var lines: [[Cell?]] = []
        var shown = 0
        for row in rows {
            var rest = row.dropFirst()
            repeat {
                guard lines.count < Self.maximumRows else { break }
                let first = rest.count == row.count - 1 ? row.first : nil
                let part = rest.prefix(Self.columns - 1)
                rest = rest.dropFirst(part.count)
                lines.append([first] + part.map { Optional($0) })
                shown += part.count + (first == nil ? 0 : 1)
            } while !rest.isEmpty
        }
        omittedCount = rows.reduce(0) { $0 + $1.count } - shown
        self.rows = lines
    }

    /// Draws the sheet and writes it.
    ///
    /// - Throws: an exit code after a message.
    func write(to path: String) async throws {
        try await reporting {
            let pixels = try await drawn()
            try await Task(executorPreference: FileExecutor.shared) {
                try PictureFile.write(pixels.encoded(as: ImageFormat(writingTo: path)), to: path, createsFolder: false)
            }.value
        }
        if omittedCount > 0 {
            StandardError.report("\(path) has no room for \(omittedCount) more pictures.")
        }
    }

    private func drawn() async throws -> PixelBuffer {
        let columns = rows.map(\.count).max() ?? 0
        let (across, down) = (Self.side + Self.gap, Self.side + Self.captionHeight + Self.gap)
        let (width, height) = (columns * across + Self.gap, rows.count * down + Self.gap)
        var sheet = Data(repeating: 255, count: width * height * 3)
        let places = rows.enumerated().flatMap { row, cells in
            cells.enumerated().compactMap { column, cell in
                cell.map { (cell: $0, x: Self.gap + column * across, y: Self.gap + row * down) }
            }
        }
        let drawn = try await places.concurrentMap(limit: ProcessInfo.processInfo.activeProcessorCount) {
            try Self.draw($0.cell)
        }
        for (place, pixels) in zip(places, drawn) {
            for row in 0..<pixels.height {
                let source = row * pixels.planes[0].bytesPerRow
                let target = ((place.y + row) * width + place.x) * 3
                let bytes = pixels.planes[0].data.dropFirst(source).prefix(pixels.width * 3)
                sheet.replaceSubrange(target..<target + bytes.count, with: bytes)
            }
        }
        return try Self.buffer(sheet, width: width, height: height)
    }

    /// Puts the caption into a tag in the middle below the picture.
    private struct Caption: Annotator {
        let cell: Cell
        var box: PixelRect?

        func annotate(_ layout: inout AnnotationLayout, _: AnnotatedScene) {
            let middle = PixelPoint(
                x: Double(ContactSheet.side) / 2,
                y: Double(ContactSheet.side) + Double(ContactSheet.captionHeight) / 2
            )
            if let box { layout.addBox(box, color: cell.color) }
            // The end of a path is the name of the picture.
            layout.addTag(cell.caption, at: middle, color: cell.color, keepsEnd: true)
        }
    }

    /// The part of a picture around a place, or the whole picture, and its offset in the upright picture; nil if the place lies outside.
    private static func part(of image: VisionImage, _ place: PixelRect?) throws -> (VisionImage, PixelPoint)? {
        guard let place else { return (image, PixelPoint(x: 0, y: 0)) }
        let wanted = Cell.part(around: place)
        guard let visible = wanted.intersection(PixelRect(image.size)),
            let pixels = try ObjectCrop.crop(image.upright(), to: visible)
        else { return nil }
        return (VisionImage(pixels: pixels), PixelPoint(x: visible.x.rounded(.down), y: visible.y.rounded(.down)))
    }

    private static func draw(_ cell: Cell) throws -> PixelBuffer {
        let height = side + captionHeight
        var canvas = Data(repeating: 255, count: side * height * 3)
        let image =
            switch cell.source {
            case .bytes(let data): try? VisionImage(data: data)
            case .file(let name):
                try? FileName.withPath(name) { path throws(ImageError) in try VisionImage(atPath: path, name: name) }
            }
        var box: PixelRect?
        if let (image, offset) = image.flatMap({ (try? Self.part(of: $0, cell.place)) ?? nil }) {
            let scale = Double(side) / Double(max(image.size.width, image.size.height))
            let size = PixelSize(
                width: min(max(Int((Double(image.size.width) * scale).rounded()), 1), side),
                height: min(max(Int((Double(image.size.height) * scale).rounded()), 1), side)
            )
            if let small = try? image.upright(in: size) {
                let (left, top) = ((side - size.width) / 2, (side - size.height) / 2)
                box = cell.place.map {
                    PixelRect(
                        x: Double(left) + ($0.x - offset.x) * scale,
                        y: Double(top) + ($0.y - offset.y) * scale,
                        width: $0.width * scale,
                        height: $0.height * scale
                    )
                }
                for row in 0..<size.height {
                    let source = row * small.planes[0].bytesPerRow
                    let target = ((top + row) * side + left) * 3
                    let bytes = small.planes[0].data.dropFirst(source).prefix(size.width * 3)
                    canvas.replaceSubrange(target..<target + bytes.count, with: bytes)
                }
            }
        }
        var renderer = PictureRenderer([Caption(cell: cell, box: box)])
        return try renderer.render(
            AnnotatedScene(),
            on: VisionImage(pixels: try buffer(canvas, width: side, height: height))
        )
    }

    private static func buffer(_ data: Data, width: Int, height: Int) throws -> PixelBuffer {
        try PixelBuffer(
            format: .rgb,
            width: width,
            height: height,
            planes: [PixelBuffer.Plane(data: data, bytesPerRow: width * 3)]
        )
    }
}
