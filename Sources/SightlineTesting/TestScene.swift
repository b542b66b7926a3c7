import Foundation
import Sightline

/// A drawn picture whose objects are known: blocks of color on a plain ground.
///
/// The picture is divided into square cells, sixteen along its longer side. ``TestModels/blockDetector`` finds the blocks.
public struct TestScene: Sendable, Hashable {
    /// A color of blocks.
    public enum Color: Int, Sendable, Hashable, CaseIterable {
        case red, green, blue

        /// The name, as ``TestModels`` label it.
        public var name: String { "\(self)" }
    }

    /// A rectangle of whole cells.
    public struct Block: Sendable, Hashable {
        /// The color.
        public var color: Color
        /// The leftmost cell, from 0.
        public var column: Int
        /// The topmost cell, from 0.
        public var row: Int
        /// The width in cells.
        public var columns: Int
        /// The height in cells.
        public var rows: Int

        /// Creates a block.
        public init(_ color: Color, column: Int, row: Int, columns: Int = 3, rows: Int = 3) {
            self.color = color
            self.column = column
            self.row = row
            self.columns = columns
            self.rows = rows
        }
    }

    /// The size of the picture; the default is 16 × 12 cells of 20 pixels.
    public var size: PixelSize
    /// The gray of the ground, 0…255.
    public var ground: UInt8
    /// The blocks. Later blocks cover earlier ones, and parts outside the picture are cut off.
    public var blocks: [Block]

    /// Creates a scene.
    public init(
        size: PixelSize = PixelSize(width: 320, height: 240),
        ground: UInt8 = 128,
        blocks: [Block] = []
    ) {
        self.size = size
        self.ground = ground
        self.blocks = blocks
    }

    /// The side of a cell in pixels.
    public var cell: Int { max(max(size.width, size.height) / 16, 1) }

    /// The blocks as a perfect detector reports them, with a confidence of 1: each with its color as the label.
    public var objects: [DetectedObject] {
        blocks.map { block in
            DetectedObject(
                frame: frame(of: block),
                confidence: 1,
                classIndex: block.color.rawValue,
                labels: [Label(text: block.color.name, index: block.color.rawValue, confidence: 1)]
            )
        }
    }

    /// The part of the picture that a block covers, in pixels.
    public func frame(of block: Block) -> PixelRect {
        PixelRect(
            x: Double(block.column * cell),
            y: Double(block.row * cell),
            width: Double(block.columns * cell),
            height: Double(block.rows * cell)
        )
    }

    /// Draws the scene as RGB pixels.
    ///
    /// - Throws: `ImageError` if the picture has no pixels.
    public func pixels() throws -> PixelBuffer {
        let (width, height) = (max(size.width, 0), max(size.height, 0))
        var bytes = Data(repeating: ground, count: width * height * 3)
        for block in blocks {
            let columns = (block.column * cell..<(block.column + max(block.columns, 0)) * cell).clamped(to: 0..<width)
            let rows = (block.row * cell..<(block.row + max(block.rows, 0)) * cell).clamped(to: 0..<height)
            for row in rows {
                for column in columns {
                    let offset = (row * width + column) * 3
                    for channel in 0..<3 { bytes[offset + channel] = channel == block.color.rawValue ? 255 : 0 }
                }
            }
        }
        return try PixelBuffer(
            format: .rgb,
            width: width,
            height: height,
            planes: [PixelBuffer.Plane(data: bytes, bytesPerRow: width * 3)]
        )
    }

    /// Draws the scene.
    ///
    /// - Throws: `ImageError` if the picture has no pixels.
    public func image() throws -> VisionImage { VisionImage(pixels: try pixels()) }
}
