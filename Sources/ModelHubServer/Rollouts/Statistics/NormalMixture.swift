import Foundation

/// A bound that a sum of differences crosses with a small probability only, however often it is looked at.
///
/// The estimate of a difference θ with the variance 1/V behaves as a Brownian motion S with the drift θ at the time V: S = θ̂·V. Such
/// estimates from growing data of the same devices have independent increments (D. Scharfstein, A. Tsiatis, J. Robins, "Semiparametric
/// efficiency and its implication on the design and analysis of group-sequential studies", JASA 92, 1997). If θ ≤ 0, then
/// ∫ exp(λS − λ²V/2) dG(λ) over λ ≥ 0 is a supermartingale, which exceeds 1/α with a probability of at most α at any time (J. Ville).
/// With a half-normal G this gives the bound of H. Robbins, in the closed form of S. Howard, A. Ramdas, J. McAuliffe, J. Sekhon,
/// "Time-uniform, nonparametric, nonasymptotic confidence sequences", Annals of Statistics 49, 2021, section 3.2:
/// u(V) = √(2(V+τ) · ln(√((V+τ)/τ)/(2α) + 1)). With an estimated variance the promise is asymptotic: I. Waudby-Smith, D. Arbour, R.
/// Sinha, E. Kennedy, A. Ramdas, "Time-uniform central limit theory and asymptotic confidence sequences", Annals of Statistics 52, 2024.
package struct NormalMixture: Sendable, Hashable {
    /// The difference at which the bound is tightest, the standard deviation of the mixture: τ = 1/scale².
    package var scale: Double
    /// The probability α of ever crossing the bound on one side.
    package var error: Double

    /// Creates a bound.
    package init(scale: Double, error: Double) { (self.scale, self.error) = (scale, error) }

    /// The distance between an estimate and either end of its always-valid interval.
    ///
    /// - Parameter variance: The variance of the estimate, above 0.
    package func radius(variance: Double) -> Double {
        guard variance > 0, variance.isFinite else { return variance == 0 ? 0 : .infinity }
        // In units of the scale, so that τ = 1.
        let information = scale * scale / variance
        let bound = (2 * (information + 1) * log((information + 1).squareRoot() / (2 * error) + 1)).squareRoot()
        return scale * bound / information
    }
}
