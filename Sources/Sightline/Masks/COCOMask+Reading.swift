import SightlineImages

extension COCOMask {
    /// Reads the runs of ``text``.
    ///
    /// - Returns: nil if the text has other characters, or if its runs do not fill the picture.
    package init?(size: PixelSize, text: String) {
        var counts: [Int] = []
        var (number, shift) = (0, 0)
        for character in text.utf8 {
            guard (48..<48 + 64).contains(character), shift < 60 else { return nil }
            let bits = Int(character) - 48
            number |= (bits & 0x1F) << shift
            shift += 5
            guard bits & 0x20 == 0 else { continue }
            if bits & 0x10 != 0 { number |= -1 << shift }
            if counts.count > 2 {
                let sum = number.addingReportingOverflow(counts[counts.count - 2])
                guard !sum.overflow else { return nil }
                number = sum.partialValue
            }
            counts.append(number)
            (number, shift) = (0, 0)
        }
        guard shift == 0 else { return nil }
        self.init(size: size, counts: counts)
    }

    /// The number of pixels inside the object.
    package var area: Int { stride(from: 1, to: counts.count, by: 2).reduce(0) { $0 + counts[$1] } }

    /// The pixels inside the object as ranges of column × height + row.
    private var inside: [Range<Int>] {
        var (ranges, place) = ([Range<Int>](), 0)
        for (index, count) in counts.enumerated() {
            if !index.isMultiple(of: 2), count > 0 {
                // Runs without pixels may lie between.
                if let last = ranges.last, last.upperBound == place {
                    ranges[ranges.count - 1] = last.lowerBound..<place + count
                } else {
                    ranges.append(place..<place + count)
                }
            }
            place += count
        }
        return ranges
    }

    /// The smallest rectangle of whole pixels around the object; empty at the origin for an empty mask.
    package var bounds: PixelRect {
        guard size.height > 0 else { return PixelRect(x: 0, y: 0, width: 0, height: 0) }
        var (left, top, right, bottom) = (Int.max, Int.max, 0, 0)
        for range in inside {
            let (first, last) = (range.lowerBound / size.height, (range.upperBound - 1) / size.height)
            (left, right) = (min(left, first), max(right, last + 1))
            if first == last {
                (top, bottom) = (
                    min(top, range.lowerBound % size.height), max(bottom, (range.upperBound - 1) % size.height + 1)
                )
            } else {
                (top, bottom) = (0, size.height)
            }
        }
        guard left < right else { return PixelRect(x: 0, y: 0, width: 0, height: 0) }
        return PixelRect(x: Double(left), y: Double(top), width: Double(right - left), height: Double(bottom - top))
    }

    /// The number of pixels inside both objects; nil for masks of pictures of different sizes.
    package func intersection(_ other: COCOMask) -> Int? {
        guard size == other.size else { return nil }
        var (mine, others, place, shared) = (inside[...], other.inside, 0, 0)
        while let range = mine.first, place < others.count {
            shared += range.clamped(to: others[place]).count
            if range.upperBound <= others[place].upperBound { mine = mine.dropFirst() } else { place += 1 }
        }
        return shared
    }

    /// The pixels inside at least one of several objects in a picture; nil for masks of pictures of different sizes.
    package static func union(_ masks: [COCOMask]) -> COCOMask? {
        guard let first = masks.first, masks.allSatisfy({ $0.size == first.size }) else { return nil }
        guard masks.count > 1 else { return first }
        let ranges = masks.flatMap(\.inside).sorted { $0.lowerBound < $1.lowerBound }
        var (counts, end) = ([Int](), 0)
        for range in ranges where range.upperBound > end {
            if range.lowerBound > end || counts.isEmpty {
                counts += [range.lowerBound - end, range.count]
            } else {
                counts[counts.count - 1] += range.upperBound - end
            }
            end = range.upperBound
        }
        counts.append(first.size.width * first.size.height - end)
        return COCOMask(size: first.size, counts: counts)
    }
}
