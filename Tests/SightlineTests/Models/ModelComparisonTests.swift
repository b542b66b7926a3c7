import Foundation
import Sightline
import SightlineTestSupport
import TensorFlowLite
import Testing

@Suite(.hangLimit) struct ModelComparisonTests {
    private func local(_ name: String) -> LocalModel {
        LocalModel(url: TestData.fixture("models/\(name).tflite"))
    }

    private func comparison(_ name: String, pictures: [URL] = []) throws -> ModelComparison {
        let local = local(name)
        let optimized = try ModelOptimizer().optimized(try Model(contentsOf: local.url))
        return try ModelComparison(of: local, with: optimized.model, pictures: pictures)
    }

    @Test func withoutPicturesGeneratedOnesAreCompared() throws {
        let comparison = try comparison("uint8_classifier")
        let agreement = try #require(comparison.agreement)
        #expect(agreement.areGenerated && agreement.pictures > 10 && agreement.task == .labeling)
        #expect(agreement.same <= agreement.answers && agreement.answers <= agreement.pictures)
        #expect(Double(agreement.same) >= 0.9 * Double(agreement.answers))
        #expect(agreement.largestDifference > 0 && agreement.largestDifference < 0.2)
        #expect(comparison.speed.rounds > 0 && comparison.speed.ratio > 0)
        #expect(comparison.unreadable.isEmpty)
    }

    @Test func aModelAgreesWithItself() throws {
        let local = local("ssd_metadata")
        let model = try Model(contentsOf: local.url)
        let agreement = try #require(try ModelComparison(of: local, with: model).agreement)
        // The fixture finds three objects in each picture, from 40 % on.
        #expect(agreement.task == .detection && agreement.answers == 3 * agreement.pictures)
        #expect(agreement.same == agreement.answers && agreement.largestDifference == 0)
    }

    @Test func aDifferentModelDisagrees() throws {
        let other = try Model(contentsOf: local("localizer").url)
        let agreement = try #require(try ModelComparison(of: local("ssd"), with: other).agreement)
        // All objects of the other model have class 0.
        #expect(agreement.same * 3 == agreement.answers)
    }

    @Test func picturesThatCannotBeReadAreNamed() throws {
        let missing = URL(filePath: "/missing/picture.png")
        let comparison = try comparison(
            "uint8_classifier",
            pictures: [TestData.fixture("images/large.png"), missing]
        )
        #expect(comparison.agreement?.pictures == 1 && comparison.agreement?.areGenerated == false)
        #expect(comparison.unreadable == [missing.relativePath])
    }

    @Test func aModelThatIsNotForPicturesOnlyHasTimes() throws {
        let comparison = try comparison("uint8_operators")
        #expect(comparison.agreement == nil)
        #expect(comparison.speed.originalMilliseconds > 0 && comparison.speed.rewrittenMilliseconds > 0)
    }
}
