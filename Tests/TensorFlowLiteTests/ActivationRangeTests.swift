import SightlineTestSupport
import Testing

@testable import TensorFlowLite

/// Properties of every range, for tensors with values of every kind.
@Suite(.hangLimit) struct ActivationRangeTests {
    /// Kinds of tensors, each with pictures of values.
    static let kinds: [String: @Sendable (inout RepeatableRandom) -> Float] = [
        "around zero": { Float.random(in: -3...3, using: &$0) },
        "positive": { Float.random(in: 2...9, using: &$0) },
        "negative": { Float.random(in: -9...(-2), using: &$0) },
        "mostly zero": { Int.random(in: 0..<50, using: &$0) == 0 ? 4 : 0 },
        "with an outlier": { Int.random(in: 0..<4000, using: &$0) == 0 ? 900 : Float.random(in: -1...1, using: &$0) },
        "all zero": { _ in 0 },
        "one positive value": { _ in 2.5 },
        "one negative value": { _ in -2.5 },
        "tiny": { Float.random(in: -1e-20...1e-20, using: &$0) },
        "subnormal": { Float.random(in: -1...1, using: &$0) * .leastNormalMagnitude },
        "huge": { Float.random(in: -1e30...1e30, using: &$0) },
        "of all floats": { Bool.random(using: &$0) ? Float.greatestFiniteMagnitude : -Float.greatestFiniteMagnitude },
        "growing": { Float(sign: .plus, exponent: Int.random(in: -120...120, using: &$0), significand: 1) },
        "with values that are not finite": {
            [Float.nan, .infinity, -.infinity, .random(in: -2...2, using: &$0)].randomElement(using: &$0) ?? 0
        },
        "not finite": { Bool.random(using: &$0) ? Float.nan : .infinity },
    ]

    static let readings: [Reading] = [
        .identity, .cut(0...Float.infinity), .cut(0...6), .cut(-1...1), .logistic, .tanh, .swish, .hardSwish,
    ]

    /// The values of four pictures, and their statistics.
    private func pictures(_ kind: String, channels: Int = 8) throws -> (values: [Float], ActivationStatistics) {
        let make = try #require(Self.kinds[kind])
        var random = RepeatableRandom(seed: 3)
        var statistics = ActivationStatistics(channels: channels)
        var values: [Float] = []
        for _ in 0..<4 {
            let picture = (0..<1024).map { _ in make(&random) }
            picture.withUnsafeBufferPointer { statistics.add($0) }
            values += picture
        }
        return (values, statistics)
    }

    private static let methods: [ActivationStatistics.Method] = [.limits, .percentile(0.001), .leastError]

    @Test(arguments: kinds.keys.sorted())
    func aScaleIsPositiveAndAZeroPointIsAnInt8(_ kind: String) throws {
        let (_, statistics) = try pictures(kind)
        for method in Self.methods {
            for reading in Self.readings {
                let range = statistics.range(method, for: reading)
                #expect(range.least <= 0 && range.greatest >= 0)
                let parameters = range.parameters
                #expect(parameters.scale > 0 && parameters.scale.isFinite, "\(method) \(reading)")
                #expect((-128...127).contains(parameters.zeroPoint))
            }
        }
    }

    @Test(arguments: kinds.keys.sorted())
    func allFiniteValuesLieWithinTheLimits(_ kind: String) throws {
        let (values, statistics) = try pictures(kind)
        let parameters = statistics.range(.limits, for: .identity).parameters
        for value in values where value.isFinite {
            let number = min(max((value / parameters.scale).rounded() + Float(parameters.zeroPoint), -128), 127)
            let read = Double(number - Float(parameters.zeroPoint)) * Double(parameters.scale)
            #expect(abs(read - Double(value)) <= Double(parameters.scale) * 1.01)
        }
    }

    @Test(arguments: ["around zero", "positive", "negative", "with an outlier", "huge"], [Reading.identity, .swish])
    func theLeastErrorIsNoLargerThanThatOfTheLimits(_ kind: String, _ reading: Reading) throws {
        let (values, statistics) = try pictures(kind)
        func error(_ method: ActivationStatistics.Method) -> Double {
            let parameters = statistics.range(method, for: reading).parameters
            return values.reduce(0.0) { sum, value in
                let number = min(max((value / parameters.scale).rounded() + Float(parameters.zeroPoint), -128), 127)
                let read = (number - Float(parameters.zeroPoint)) * parameters.scale
                let difference = Double(reading(read)) - Double(reading(value))
                return sum + difference * difference
            }
        }
        #expect(error(.leastError) <= 1.1 * error(.limits))
    }

    @Test(arguments: [Float(-8), -1, 0, 0.5, 7])
    func oneSidedRangesUseAllSteps(_ value: Float) throws {
        var statistics = ActivationStatistics(channels: 1)
        [value, value / 2].withUnsafeBufferPointer { statistics.add($0) }
        let parameters = statistics.range(.limits, for: .identity).parameters
        if value > 0 { #expect(parameters.zeroPoint == -128) }
        if value < 0 { #expect(parameters.zeroPoint == 127) }
    }

    @Test func valuesThatAreNotFiniteDoNotCount() throws {
        let clean: [Float] = [-1, 2, 0.5, -0.25]
        var (one, two) = (ActivationStatistics(channels: 2), ActivationStatistics(channels: 2))
        clean.withUnsafeBufferPointer { one.add($0) }
        (clean + [Float.nan, .infinity, -.infinity, .nan]).withUnsafeBufferPointer { two.add($0) }
        for method in Self.methods { #expect(one.range(method, for: .identity) == two.range(method, for: .identity)) }
    }
}
