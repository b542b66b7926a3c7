import SightlineImages

/// A mask of a whole picture in the runs of COCO's Python package, pycocotools: column by column from the left, outside and inside in turn.
package struct COCOMask: Sendable, Hashable {
    /// The size of the picture.
    package let size: PixelSize
    /// The lengths of the runs, outside first.
    package let counts: [Int]

    /// Creates a mask of runs.
    ///
    /// - Returns: nil if the runs do not fill the picture.
    package init?(size: PixelSize, counts: [Int]) {
        guard size.width >= 0, size.height >= 0, size.width <= Self.maximumPixels / max(size.height, 1) else {
            return nil
        }
        var left = size.width * size.height
        for count in counts {
            guard count >= 0, count <= left else { return nil }
            left -= count
        }
        guard left == 0 else { return nil }
        (self.size, self.counts) = (size, counts)
    }

    /// The largest picture of a mask, in pixels.
    private static let maximumPixels = 1 << 30

    /// Converts a mask. Pixels beyond the picture are dropped.
    package init(_ mask: ObjectMask, in size: PixelSize) {
        self.size = size
        let columns = max(mask.x, 0)..<max(min(mask.x + mask.width, size.width), max(mask.x, 0))
        let rows = max(mask.y, 0)..<max(min(mask.y + mask.height, size.height), max(mask.y, 0))
        var pixels = [Bool](repeating: false, count: columns.count * rows.count)
        for span in mask.spans where rows.contains(span.y) {
            for column in span.columns.clamped(to: columns) {
                pixels[(column - columns.lowerBound) * rows.count + span.y - rows.lowerBound] = true
            }
        }
        var counts: [Int] = []
        var (length, isInside) = (0, false)
        func add(_ count: Int, inside: Bool) {
            guard count > 0 else { return }
            if inside != isInside {
                counts.append(length)
                (length, isInside) = (0, inside)
            }
            length += count
        }
        add(columns.lowerBound * size.height, inside: false)
        for column in columns.indices {
            add(rows.lowerBound, inside: false)
            let first = (column - columns.lowerBound) * rows.count
            for place in first..<first + rows.count { add(1, inside: pixels[place]) }
            add(size.height - rows.upperBound, inside: false)
        }
        add((size.width - columns.upperBound) * size.height, inside: false)
        self.counts = counts + [length]
    }

    /// The runs as text: from the fourth on, each is the difference to the one two before it; five bits a character from `0` on, the
    /// lowest first, with a sixth bit while others follow.
    package var text: String {
        var text = ""
        for (index, count) in counts.enumerated() {
            var number = index > 2 ? count - counts[index - 2] : count
            while true {
                let bits = number & 0x1F
                number >>= 5
                let isLast = bits & 0x10 != 0 ? number == -1 : number == 0
                text.unicodeScalars.append(Unicode.Scalar(UInt8(48 + bits + (isLast ? 0 : 0x20))))
                if isLast { break }
            }
        }
        return text
    }
}
