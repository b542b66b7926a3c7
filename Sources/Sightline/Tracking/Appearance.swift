/// The colors of an object: a cheap description of how it looks, by which objects that cross are told apart.
///
/// Histograms of brightness, of blue minus brightness and of red minus brightness, of the upper and of the lower half of a box.
/// Halves distinguish a red jacket over blue trousers from the reverse; finer parts move with the limbs. Shapes and edges are
/// of no use at this size.
struct Appearance: Sendable, Hashable {
    /// The columns and rows of the small picture of a box from which it is made.
    static let size = PixelSize(width: 8, height: 16)

    /// The shares of the bins; those of each histogram sum to 1.
    private var shares: [Float]

    private static let parts = 2
    private static let bins = 8
    private static let histograms = 3 * parts
    /// The weights of the columns. Those at the edges show the background.
    private static let columnWeights: [Float] = [0, 0.5, 1, 1, 1, 1, 0.5, 0]
    /// The range of brightness that a bin covers.
    private static let brightnessStep: Float = 32
    /// The range of a color difference that a bin covers; larger differences are in the outermost bins.
    private static let colorStep: Float = 12

    /// Creates the description of a box.
    ///
    /// - Parameter pixels: the red, green and blue values of a picture of ``size``, 0…255, row after row.
    /// - Returns: nil if the number of values does not match.
    init?(pixels: [Float]) {
        let (columns, rows) = (Self.size.width, Self.size.height)
        guard pixels.count == columns * rows * 3 else { return nil }
        shares = Array(repeating: 0, count: Self.histograms * Self.bins)
        let rowsInPart = rows / Self.parts
        let share = 1 / (Self.columnWeights.reduce(0, +) * Float(rowsInPart))
        for row in 0..<rows {
            let first = row / rowsInPart * 3
            for column in 0..<columns where Self.columnWeights[column] > 0 {
                let pixel = (row * columns + column) * 3
                let (red, green, blue) = (pixels[pixel], pixels[pixel + 1], pixels[pixel + 2])
                // ITU-R BT.601 luma.
                let brightness = 0.299 * red + 0.587 * green + 0.114 * blue
                let weight = share * Self.columnWeights[column]
                let middle = Float(Self.bins / 2)
                add(weight, to: first, at: brightness / Self.brightnessStep)
                add(weight, to: first + 1, at: (blue - brightness) / Self.colorStep + middle)
                add(weight, to: first + 2, at: (red - brightness) / Self.colorStep + middle)
            }
        }
    }

    /// Adds a value to a histogram, shared by the two bins whose middles are nearest.
    private mutating func add(_ weight: Float, to histogram: Int, at position: Float) {
        let position = min(max(position - 0.5, 0), Float(Self.bins - 1))
        let bin = min(Int(position), Self.bins - 2)
        let upper = position - Float(bin)
        shares[histogram * Self.bins + bin] += weight * (1 - upper)
        shares[histogram * Self.bins + bin + 1] += weight * upper
    }

    /// The difference of two objects' appearances: 0 for equal histograms, 1 for histograms that share no bin.
    func distance(to other: Appearance) -> Double {
        var sum: Float = 0
        for index in shares.indices { sum += abs(shares[index] - other.shares[index]) }
        return Double(sum) / Double(2 * Self.histograms)
    }

    /// Moves the description toward another by a share of the difference.
    mutating func move(toward other: Appearance, by share: Float) {
        for index in shares.indices { shares[index] += (other.shares[index] - shares[index]) * share }
    }
}
