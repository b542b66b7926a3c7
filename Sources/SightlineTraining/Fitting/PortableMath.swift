/// Exponential and logarithm by additions, multiplications and divisions alone, which give the same bits on every machine. Those of C
/// libraries differ in the last bit.
enum PortableMath {
    private static let ln2 = 0.693_147_180_559_945_3

    /// e to the power of `x`, with a relative error below 1e-12.
    static func exp(_ x: Double) -> Double {
        guard x > -700 else { return 0 }
        guard x < 700 else { return .greatestFiniteMagnitude }
        let power = (x / ln2).rounded()
        let rest = x - power * ln2
        // The Taylor series for a number below 0.35.
        var sum = 1.0
        for n in stride(from: 13.0, through: 1, by: -1) { sum = 1 + rest / n * sum }
        return sum * Double(sign: .plus, exponent: Int(power), significand: 1)
    }

    /// The natural logarithm of a positive number, with an absolute error below 1e-12.
    static func log(_ x: Double) -> Double {
        guard x > 0, x.isFinite else { return x > 0 ? 710 : -745 }
        var (exponent, mantissa) = (Double(x.exponent), x.significand)
        if mantissa > 1.414_213_562_373_095 {
            mantissa /= 2
            exponent += 1
        }
        // 2 · artanh((m − 1) / (m + 1)).
        let ratio = (mantissa - 1) / (mantissa + 1)
        let square = ratio * ratio
        var sum = 0.0
        for n in stride(from: 17.0, through: 1, by: -2) { sum = 1 / n + square * sum }
        return exponent * ln2 + 2 * ratio * sum
    }

    /// Probabilities from sums.
    static func softmax(_ sums: [Float]) -> [Double] {
        let largest = Double(sums.max() ?? 0)
        let powers = sums.map { exp(Double($0) - largest) }
        let total = powers.reduce(0, +)
        return powers.map { $0 / total }
    }

    /// The probability of a sum by itself.
    static func logistic(_ sum: Float) -> Double { 1 / (1 + exp(-Double(sum))) }
}
