import Foundation
import SightlineTestSupport
import Testing

@testable import ModelHubServer

@Suite(.hangLimit)
struct RemoteConfigStatisticsTests {
    /// Probabilities of SciPy 1.17: `2 * scipy.stats.t.sf(t, df)`.
    @Test(arguments: [
        (0.0, 5.0, 1.0), (1.0, 1.0, 0.5), (2.0, 10.0, 0.073_388_034_770_740_37), (-2.0, 10.0, 0.073_388_034_770_740_37),
        (1.96, 1e6, 0.049_996_067_585_27), (3.5, 27.3, 0.001_615_819_601_158), (12.706, 1.0, 0.050_000_8),
    ])
    func probabilitiesOfStudentsDistribution(t: Double, freedom: Double, probability: Double) {
        #expect(abs(StudentT.twoSidedProbability(t, degreesOfFreedom: freedom) - probability) < 1e-6)
    }

    @Test(arguments: [(0.05, 1.0, 12.7062), (0.05, 10.0, 2.22814), (0.01, 30.0, 2.75), (0.05, 1e9, 1.959964)])
    func quantilesOfStudentsDistribution(probability: Double, freedom: Double, quantile: Double) {
        #expect(abs(StudentT.twoSidedQuantile(probability, degreesOfFreedom: freedom) - quantile) < 1e-4 * quantile)
    }

    /// The total of installations that each report some values at once.
    private func total(_ name: String, _ installations: [[Double]], _ metric: OutcomeMetric = .score("s"))
        -> OutcomeTotal
    {
        var total = OutcomeTotal(variant: name, model: "", metric: metric)
        for values in installations where !values.isEmpty {
            let record = OutcomeBatch.Record(
                experiment: "e",
                variant: name,
                model: "m",
                metric: metric,
                count: values.count,
                sum: values.reduce(0, +),
                squares: values.reduce(0) { $0 + $1 * $1 }
            )
            total.add(record, before: nil)
        }
        return total
    }

    @Test func withOneResultOfEachInstallationItIsWelchsTest() throws {
        let a = (0..<40).map { [Double($0 % 7)] }
        let b = (0..<55).map { [Double($0 % 9) * 0.9 + 0.3] }
        let comparison = try #require(
            VariantComparison(total("b", b), against: total("a", a), comparisons: 1, lessIsBetter: false)
        )
        func moments(_ values: [[Double]]) -> (mean: Double, variance: Double, count: Double) {
            let all = values.flatMap(\.self)
            let mean = all.reduce(0, +) / Double(all.count)
            return (mean, all.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(all.count - 1), Double(all.count))
        }
        let (left, right) = (moments(b), moments(a))
        let (v, w) = (left.variance / left.count, right.variance / right.count)
        let freedom = (v + w) * (v + w) / (v * v / (left.count - 1) + w * w / (right.count - 1))
        let t = (left.mean - right.mean) / (v + w).squareRoot()
        #expect(abs(comparison.difference - (left.mean - right.mean)) < 1e-12)
        #expect(abs(comparison.pValue - StudentT.twoSidedProbability(t, degreesOfFreedom: freedom)) < 1e-9)
        let half = StudentT.twoSidedQuantile(0.05, degreesOfFreedom: freedom) * (v + w).squareRoot()
        #expect(abs(comparison.interval.upperBound - comparison.difference - half) < 1e-9)
    }

    @Test func manyResultsOfOneInstallationAreNoMoreThanOneWitness() throws {
        var random = RepeatableRandom(seed: 5)
        // Each installation gives the same value a hundred times.
        let a = (0..<50).map { _ in Array(repeating: Double.random(in: 0...1, using: &random), count: 100) }
        let b = (0..<50).map { _ in Array(repeating: Double.random(in: 0...1, using: &random), count: 100) }
        let single = try #require(
            VariantComparison(
                total("b", b.map { [$0[0]] }),
                against: total("a", a.map { [$0[0]] }),
                comparisons: 1,
                lessIsBetter: false
            )
        )
        let repeated = try #require(
            VariantComparison(total("b", b), against: total("a", a), comparisons: 1, lessIsBetter: false)
        )
        #expect(abs(single.pValue - repeated.pValue) < 1e-9)
    }

    /// A test that says "different" of what is the same in about five of a hundred cases does what it says.
    @Test func whereThereIsNoDifferenceFiveOfAHundredAreTakenForOne() throws {
        var random = RepeatableRandom(seed: 6)
        var significant = 0
        for _ in 0..<2000 {
            func draw() -> [[Double]] {
                (0..<60).map { _ in
                    let chance = Double.random(in: 0.3...0.9, using: &random)
                    return (0..<Int.random(in: 1...8, using: &random)).map { _ in
                        Double.random(in: 0...1, using: &random) < chance ? 1 : 0
                    }
                }
            }
            let comparison = try #require(
                VariantComparison(total("b", draw()), against: total("a", draw()), comparisons: 1, lessIsBetter: false)
            )
            if comparison.verdict == .better || comparison.verdict == .worse { significant += 1 }
        }
        #expect((60...145).contains(significant), "\(significant) of 2000")
    }

    @Test func verdictsSayWhatCanBeSaid() throws {
        func verdict(_ b: [[Double]], _ a: [[Double]], _ metric: OutcomeMetric = .score("s"), comparisons: Int = 1)
            -> VariantComparison.Verdict?
        {
            VariantComparison(
                total("b", b, metric),
                against: total("a", a, metric),
                comparisons: comparisons,
                lessIsBetter: metric == .latency
            )?.verdict
        }
        let low = (0..<40).map { [10 + Double($0 % 5)] }
        let high = (0..<40).map { [12 + Double($0 % 5)] }
        #expect(verdict(high, low) == .better)
        #expect(verdict(low, high) == .worse)
        #expect(verdict(low, high, .latency) == .better)
        #expect(verdict(low, low) == .notSignificant)
        #expect(verdict(Array(high.prefix(29)), low) == .tooFew)
        #expect(verdict([], low) == nil)
        // Hardly anybody disliked it: the sums are too far from normal.
        let liked = (0..<100).map { [$0 < 3 ? 0.0 : 1.0] }
        #expect(verdict(liked, (0..<100).map { [$0 < 40 ? 0.0 : 1.0] }) == .tooFew)
        // A result that is significant alone need not be so among many.
        let slightly = (0..<40).map { [10.75 + Double($0 % 5)] }
        #expect(verdict(slightly, low) == .better)
        #expect(verdict(slightly, low, comparisons: 19) == .notSignificant)
        // No spread at all.
        #expect(verdict((0..<40).map { _ in [2] }, (0..<40).map { _ in [3] }) == .worse)
    }

    /// A single report of a faulty or forged installation, with as many results as a report may have.
    @Test(arguments: [1.0, 5e8], [1, 50, 1000, 1_000_000])
    func oneInstallationDecidesNothing(value: Double, count: Int) throws {
        // Their mean is 100 in both variants.
        func honest(_ number: Int) -> [[Double]] {
            (0..<number).map { index in Array(repeating: 100 + Double(index % 5 - 2) * 10, count: 20) }
        }
        let experiment = Experiment(
            id: "e",
            parameter: "p",
            variants: [.init(id: "control", value: nil), .init(id: "new", value: "x")],
            exposurePercent: 100,
            startTime: .now
        )
        let control = total("control", honest(45), .latency)
        for name in ["new", "control"] {
            var forged = name == "new" ? total("new", honest(40), .latency) : control
            let record = OutcomeBatch.Record(
                experiment: "e",
                variant: name,
                model: "m",
                metric: .latency,
                count: count,
                sum: value * Double(count),
                squares: value * value * Double(count)
            )
            forged.add(record, before: nil)
            let honestOnes = total("new", honest(40), .latency)
            let totals = name == "new" ? [control, forged] : [forged, honestOnes]
            let outcome = ExperimentOutcome(experiment, totals)
            let verdict = try #require(outcome.metrics.first?.variants.last?.comparison?.verdict)
            #expect(verdict == .tooFew || verdict == .notSignificant)
            let isHeavy = count >= 1000
            #expect(outcome.sentences.contains { $0.contains("a few installations sent most") } == isHeavy)
        }
    }

    @Test func anUnevenDivisionIsSaid() {
        let experiment = Experiment(
            id: "e",
            parameter: "p",
            variants: [.init(id: "a", value: nil), .init(id: "b", value: "x")],
            exposurePercent: 100,
            startTime: .now
        )
        func outcome(_ a: Int, _ b: Int) -> ExperimentOutcome {
            ExperimentOutcome(
                experiment,
                [
                    total("a", Array(repeating: [0], count: a), .results),
                    total("b", Array(repeating: [0], count: b), .results),
                ]
            )
        }
        // SciPy: chisquare([1000, 1100]).pvalue = 0.0291, chisquare([1000, 1200]).pvalue = 2e-5.
        #expect(abs((outcome(1000, 1100).divisionProbability ?? 1) - 0.0291) < 0.003)
        #expect(outcome(1000, 1100).sentences.contains { $0.contains("differs significantly") } == false)
        #expect(outcome(1000, 1200).sentences.first?.contains("differs significantly from the weights") == true)
    }

    @Test func sentencesSayWhoIsBetter() {
        let experiment = Experiment(
            id: "e",
            parameter: "p",
            variants: [.init(id: "a", value: nil), .init(id: "b", value: "x")],
            exposurePercent: 100,
            startTime: .now
        )
        let outcome = ExperimentOutcome(
            experiment,
            [
                total("a", (0..<100).map { [$0 < 60 ? 1.0 : 0.0] }),
                total("b", (0..<100).map { [$0 < 85 ? 1.0 : 0.0] }),
            ]
        )
        #expect(
            outcome.sentences == [
                "s: b is better than a: 0.8500 against 0.6000, difference +0.2500, 95 % interval +0.1298 to +0.3702, p < 0.001."
            ]
        )
        #expect(ExperimentOutcome(experiment, []).sentences == ["There are no reports to compare yet."])
    }
}
