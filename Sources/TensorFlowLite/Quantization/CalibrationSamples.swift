public import Foundation

/// The pictures with which a model is calibrated, in the form of its inputs.
public struct CalibrationSamples {
    /// The number of pictures.
    public let count: Int
    private let read: (Int) throws -> [Data]

    /// - Parameters:
    ///   - count: The number of pictures.
    ///   - read: Gives the bytes of each input for a picture, by its number in 0..<count. It may be called several times for a
    ///     picture, and gives the same bytes each time.
    public init(count: Int, read: @escaping (Int) throws -> [Data]) {
        (self.count, self.read) = (count, read)
    }

    /// The bytes of each input for a picture.
    func inputs(_ number: Int) throws -> [Data] { try read(number) }

    /// At most so many of the pictures, at equal distances.
    func prefix(_ maximum: Int) -> CalibrationSamples {
        guard maximum < count, maximum > 0 else { return self }
        let all = count
        return CalibrationSamples(count: maximum) { [read] in try read($0 * all / maximum) }
    }
}
