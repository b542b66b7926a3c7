/// Rows of whole numbers from -90 to 90, and their products.
///
/// Sums of whole numbers do not depend on the order of additions, so the results are the same on every machine.
///
/// Unsafe but sound: the pointers are those of arrays whose sizes follow from `count` and `stride`, and live within one closure. A
/// precondition checks the size of the other operand.
struct ByteVectors: Sendable {
    /// The numbers of a row.
    let width: Int
    /// The bytes of a row: those beyond the numbers are 0.
    let stride: Int
    private(set) var count = 0
    private(set) var values: [Int8] = []
    /// The length of each row.
    private(set) var lengths: [Float] = []

    /// The largest number: the sum of four products is less than 2 to the power of 15.
    static let largest: Int8 = 90
    private static let step = 64

    init(width: Int) {
        self.width = width
        stride = (width + Self.step - 1) / Self.step * Self.step
    }

    mutating func reserveCapacity(_ rows: Int) {
        values.reserveCapacity(rows * stride)
        lengths.reserveCapacity(rows)
    }

    /// Adds a row. Numbers beyond the width are left out, and missing ones are 0.
    mutating func append(_ row: some Collection<Int8>) {
        var squares = 0
        for value in row.prefix(width) {
            let value = Self.limited(value)
            values.append(value)
            squares += Int(value) * Int(value)
        }
        count += 1
        values.append(contentsOf: repeatElement(0, count: count * stride - values.count))
        lengths.append(Float(squares).squareRoot())
    }

    /// Keeps some rows, in the given order, and removes the others. The rows are moved in place.
    ///
    /// - Parameter rows: Numbers of rows, each once.
    mutating func keep(_ rows: [Int]) {
        // The row that is in each place now, and the place of each row.
        var (found, places) = (Array(0..<count), Array(0..<count))
        for (place, row) in rows.enumerated() where places[row] != place {
            let (from, other) = (places[row], found[place])
            for offset in 0..<stride { values.swapAt(place * stride + offset, from * stride + offset) }
            lengths.swapAt(place, from)
            found.swapAt(place, from)
            (places[row], places[other]) = (place, from)
        }
        values.removeLast((count - rows.count) * stride)
        lengths.removeLast(count - rows.count)
        count = rows.count
    }

    /// The numbers of a row.
    func row(_ index: Int) -> ArraySlice<Int8> { values[index * stride..<index * stride + width] }

    /// The products of a row with each of the rows from `first` on.
    func products(with other: some Collection<Int8>, from first: Int = 0) -> [Int32] {
        var query = other.prefix(width).map { Int16(Self.limited($0)) }
        query.append(contentsOf: repeatElement(0, count: stride - query.count))
        precondition(query.count == stride && first >= 0)
        let rows = max(count - first, 0)
        return [Int32](unsafeUninitializedCapacity: rows) { results, resultCount in
            values.withUnsafeBytes { values in
                query.withUnsafeBytes { query in
                    for row in 0..<rows {
                        let start = (first + row) * stride
                        var sum = SIMD16<Int32>()
                        var place = 0
                        while place < stride {
                            var products = SIMD16<Int16>()
                            for part in 0..<4 {
                                let offset = place + 16 * part
                                let numbers = values.loadUnaligned(
                                    fromByteOffset: start + offset,
                                    as: SIMD16<Int8>.self
                                )
                                let factors = query.loadUnaligned(fromByteOffset: 2 * offset, as: SIMD16<Int16>.self)
                                products &+= SIMD16<Int16>(truncatingIfNeeded: numbers) &* factors
                            }
                            sum &+= SIMD16<Int32>(truncatingIfNeeded: products)
                            place += Self.step
                        }
                        results.initializeElement(at: row, to: sum.wrappedSum())
                    }
                }
            }
            resultCount = rows
        }
    }

    /// The products of each row with a row of fractions.
    func products(with other: [Float]) -> [Float] {
        var query = [SIMD16<Float>](repeating: SIMD16(), count: stride / 16)
        for (index, value) in other.prefix(width).enumerated() { query[index / 16][index % 16] = value }
        return values.withUnsafeBytes { values in
            (0..<count).map { row in
                var sum = SIMD16<Float>()
                for part in 0..<query.count {
                    let bytes = values.loadUnaligned(fromByteOffset: row * stride + 16 * part, as: SIMD16<Int8>.self)
                    sum += SIMD16<Float>(bytes) * query[part]
                }
                return sum.sum()
            }
        }
    }

    /// The sum of the rows, each divided by its length.
    var directionSum: [Float] {
        var sums = [SIMD16<Float>](repeating: SIMD16(), count: stride / 16)
        values.withUnsafeBytes { values in
            for row in 0..<count where lengths[row] > 0 {
                let scale = 1 / lengths[row]
                for part in 0..<sums.count {
                    let bytes = values.loadUnaligned(fromByteOffset: row * stride + 16 * part, as: SIMD16<Int8>.self)
                    sums[part] += SIMD16<Float>(bytes) * scale
                }
            }
        }
        return (0..<width).map { sums[$0 / 16][$0 % 16] }
    }

    private static func limited(_ value: Int8) -> Int8 { min(max(value, -largest), largest) }

    /// Numbers rounded so that the largest becomes 90 or -90.
    static func rounded(_ values: [Float]) -> [Int8] {
        let largest = values.reduce(0) { $1.isFinite ? max($0, $1.magnitude) : $0 }
        guard largest > 0 else { return [Int8](repeating: 0, count: values.count) }
        return values.map { $0.isFinite ? Int8((min(max($0 / largest, -1), 1) * Float(Self.largest)).rounded()) : 0 }
    }
}
