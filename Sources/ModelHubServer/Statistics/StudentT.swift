import Foundation

/// Student's t distribution.
enum StudentT {
    /// The two-sided probability of a value at least this far from zero.
    ///
    /// I_x(ν/2, ½) with x = ν / (ν + t²): NIST Digital Library of Mathematical Functions, 8.17, and M. Abramowitz, I. Stegun,
    /// "Handbook of Mathematical Functions", 26.7.1.
    static func twoSidedProbability(_ t: Double, degreesOfFreedom: Double) -> Double {
        guard t.isFinite, degreesOfFreedom > 0 else { return t.isInfinite ? 0 : 1 }
        let x = degreesOfFreedom / (degreesOfFreedom + t * t)
        return min(max(regularizedBeta(x, degreesOfFreedom / 2, 0.5), 0), 1)
    }

    /// The value with the given two-sided probability, by bisection.
    static func twoSidedQuantile(_ probability: Double, degreesOfFreedom: Double) -> Double {
        var (low, high) = (0.0, 2.0)
        while twoSidedProbability(high, degreesOfFreedom: degreesOfFreedom) > probability, high < 1e12 { high *= 2 }
        for _ in 0..<200 {
            let middle = (low + high) / 2
            if twoSidedProbability(middle, degreesOfFreedom: degreesOfFreedom) > probability {
                low = middle
            } else {
                high = middle
            }
        }
        return (low + high) / 2
    }

    /// The regularized incomplete beta function by its continued fraction (DLMF 8.17.22), computed with Lentz's method.
    private static func regularizedBeta(_ x: Double, _ a: Double, _ b: Double) -> Double {
        if x <= 0 { return 0 }
        if x >= 1 { return 1 }
        // The fraction converges fast on this side; the other side is its complement (DLMF 8.17.4).
        if x > (a + 1) / (a + b + 2) { return 1 - regularizedBeta(1 - x, b, a) }
        let front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
        let tiny = 1e-300
        var (c, d) = (1.0, 1 - (a + b) * x / (a + 1))
        d = 1 / (abs(d) < tiny ? tiny : d)
        var fraction = d
        for step in 1...500 {
            let m = Double(step)
            for numerator in [
                m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
            ] {
                d = 1 + numerator * d
                d = 1 / (abs(d) < tiny ? tiny : d)
                c = 1 + numerator / c
                if abs(c) < tiny { c = tiny }
                fraction *= c * d
            }
            if abs(c * d - 1) < 1e-15 { break }
        }
        return front * fraction
    }
}
