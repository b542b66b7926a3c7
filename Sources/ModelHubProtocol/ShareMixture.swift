import Foundation

/// A sequential test of the share of one of two outcomes, such as the division of devices into two groups.
///
/// Each result is of the first kind with the same probability. The likelihood of the observed numbers under
/// a beta-binomial mixture, divided by that under a share p, is a martingale for that p; it exceeds 1/α with a probability of at most α at
/// any time (M. Lindon, A. Malek, "Anytime-valid inference for multinomial count data", NeurIPS 2022). The shares that it does not
/// exceed are an always-valid interval, without any approximation.
package struct ShareMixture: Sendable, Hashable {
    /// The parameter of the symmetric beta distribution of the mixture: above 1, shares near ½ are the most likely ones; ½ suits shares of
    /// any size (R. Krichevsky, V. Trofimov, "The performance of universal encoding", IEEE Transactions on Information Theory 27, 1981).
    package var concentration: Double
    /// The probability α of ever excluding the true share.
    package var error: Double

    /// Creates a test.
    package init(error: Double, concentration: Double = 100) {
        (self.error, self.concentration) = (error, concentration)
    }

    /// The natural logarithm of the evidence against a share of the first group, above 0 and below 1.
    package func evidence(against share: Double, _ first: Int, _ second: Int) -> Double {
        let (a, b) = (Double(first), Double(second))
        return Self.logBeta(concentration + a, concentration + b) - Self.logBeta(concentration, concentration)
            - (a > 0 ? a * log(share) : 0) - (b > 0 ? b * log(1 - share) : 0)
    }

    /// The always-valid interval of the share of the first group, by bisection.
    package func interval(_ first: Int, _ second: Int) -> ClosedRange<Double> {
        guard first + second > 0 else { return 0...1 }
        let middle = (Double(first) + concentration) / (Double(first + second) + 2 * concentration)
        func end(_ outside: Double) -> Double {
            var (inside, outside) = (middle, outside)
            for _ in 0..<60 {
                let place = (inside + outside) / 2
                if evidence(against: place, first, second) < -log(error) { inside = place } else { outside = place }
            }
            return inside
        }
        return end(0)...end(1)
    }

    private static func logBeta(_ a: Double, _ b: Double) -> Double { lgamma(a) + lgamma(b) - lgamma(a + b) }
}
