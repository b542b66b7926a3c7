import Foundation
import Sightline
import TensorFlowLite

/// The cells of a picture that most likely hold an object: their boxes, the probability of an object, and the numbers that describe them.
struct GridCells: Sendable {
    /// The boxes, in pixels of the picture.
    let frames: [PixelRect]
    /// The probability that a cell holds an object.
    let confidences: [Float]
    /// The numbers that describe the cells, part by part, as the model stores them.
    private let features: Data
    private let parts: [CellTrunk.Part]

    /// The bytes of the cells of a picture.
    static func byteCount(_ trunk: CellTrunk) -> Int { CellTrunk.cellCount * (trunk.featureCount + 5 * 4) }

    /// Reads what ``CellExtractor/storedCells(of:)`` gave; nil if that is damaged.
    init?(_ stored: Data, of trunk: CellTrunk, in size: PixelSize) {
        let count = CellTrunk.cellCount
        guard stored.count == Self.byteCount(trunk) else { return nil }
        let start = count * trunk.featureCount
        let numbers: [Float] = stored.withUnsafeBytes { bytes in
            (0..<5 * count).map {
                let bits = bytes.loadUnaligned(fromByteOffset: start + 4 * $0, as: UInt32.self)
                return Float(bitPattern: UInt32(littleEndian: bits))
            }
        }
        guard numbers.allSatisfy(\.isFinite) else { return nil }
        let (width, height) = (Double(size.width), Double(size.height))
        frames = (0..<count).map { index in
            let (top, left) = (Double(numbers[4 * index]) * height, Double(numbers[4 * index + 1]) * width)
            let (bottom, right) = (Double(numbers[4 * index + 2]) * height, Double(numbers[4 * index + 3]) * width)
            return PixelRect(x: left, y: top, width: max(right - left, 0), height: max(bottom - top, 0))
        }
        confidences = Array(numbers[(4 * count)...])
        features = Data(stored.prefix(start))
        parts = trunk.parts
    }

    /// The numbers that describe a cell, as the model stores them.
    func stored(_ cell: Int) -> Data {
        var (row, start) = (Data(), features.startIndex)
        for part in parts {
            row += features[start + cell * part.count..<start + (cell + 1) * part.count]
            start += CellTrunk.cellCount * part.count
        }
        return row
    }
}

extension CellTrunk {
    /// The numbers that the stored features of a cell stand for; nil if there are not as many bytes as features.
    func values(of stored: Data) -> [Float]? {
        guard stored.count == featureCount else { return nil }
        var values: [Float] = []
        values.reserveCapacity(featureCount)
        var place = stored.startIndex
        for part in parts {
            let (scale, zeroPoint) = (part.quantization.scale, part.quantization.zeroPoint)
            for byte in stored[place..<place + part.count] {
                values.append(scale * Float(Int(Int8(bitPattern: byte)) - zeroPoint))
            }
            place += part.count
        }
        return values
    }
}
