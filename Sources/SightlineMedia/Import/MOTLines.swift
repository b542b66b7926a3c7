import Foundation
import TextFormatting

/// The lines of a file of detections, which arrives in pieces. No more of its text is kept than the line that has not ended.
struct MOTLines {
    /// The name of the file in errors.
    let name: String
    /// The detections in the order of the file.
    private(set) var boxes: [MOTDetections.Box] = []
    private(set) var unscoredCount = 0
    private(set) var negativeCount = 0
    /// The first mistake, after which nothing is read.
    private(set) var failure: MOTDetectionsError?
    private var pending: [UInt8] = []
    private var lineNumber = 0

    init(name: String) { self.name = name }

    /// Adds the next bytes of the file.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        guard failure == nil else { return }
        pending.append(contentsOf: bytes)
        // UTF-16 is converted as a whole.
        let isWide = pending.starts(with: [0xFF, 0xFE]) || pending.starts(with: [0xFE, 0xFF])
        if lineNumber > 0 || !isWide { readLines() }
    }

    /// Ends the file.
    mutating func finish() {
        if lineNumber == 0 { pending = [UInt8](TextEncoding.utf8(Data(pending))) }
        pending.append(UInt8(ascii: "\n"))
        readLines()
    }

    /// Reads the lines that have ended.
    private mutating func readLines() {
        var start = lineNumber == 0 && pending.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while failure == nil, let end = pending[start...].firstIndex(of: UInt8(ascii: "\n")) {
            lineNumber += 1
            read(pending[start..<end])
            start = end + 1
        }
        pending.removeFirst(start)
    }

    private mutating func read(_ line: ArraySlice<UInt8>) {
        guard line.contains(where: { !MOTDetections.isBlank($0) }) else { return }
        do throws(MOTLine.Problem) {
            let row = try MOTLine(line)
            let confidence = row.detection.objectConfidence
            if row.isUnscored { unscoredCount += 1 }
            if confidence < 0 { negativeCount += 1 }
            // The largest number of a frame has 30 bits.
            let frame = Int32(row.frame)
            boxes.append(.init(frame: frame, confidence: confidence, rectangle: row.detection.frame))
        } catch {
            failure = .invalidLine(file: name, line: lineNumber, reason: error.reason)
        }
    }
}
