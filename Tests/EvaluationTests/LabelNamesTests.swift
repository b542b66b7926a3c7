import SightlineTestSupport
import Testing

@testable import SightlineEvaluation

/// Which label the name of a folder means.
@Suite(.hangLimit)
struct LabelNamesTests {
    private func names(_ names: [String], background: Int? = nil) -> LabelNames {
        LabelNames(names: names, count: names.count, backgroundIndex: background)
    }

    @Test(arguments: [
        ("T-Shirt", LabelNames.Meaning.label(0)), ("t_shirt", .label(0)), ("tench", .label(1)),
        ("Tinca  tinca", .label(1)), ("tench, Tinca tinca", .label(1)), ("Crane", .label(2)), ("crane", .label(2)),
        ("caf\u{65}\u{301}", .label(3)), ("CAF\u{c9}", .label(3)), ("shirt", .unknown), ("", .unknown),
        ("None of the above", .nothing), ("none_of_the_above", .nothing),
    ])
    func aFolderMeansTheLabelThatIsCalledLikeIt(folder: String, meaning: LabelNames.Meaning) {
        let labels = names(["T-Shirt", "tench, Tinca tinca", "crane", "caf\u{e9}", "crane"])
        #expect(labels.meaning(of: folder) == meaning)
    }

    @Test func outputsOfOneNameAreOneLabel() {
        let labels = names(["crane", "dog", "crane"])
        #expect(labels.names == ["crane", "dog"])
        #expect((0..<4).map { labels[output: $0] } == [0, 1, 0, nil])
    }

    @Test func aNameThatCouldBeTwoLabelsIsNoneUnlessItIsExact() {
        let labels = names(["Polish", "polish", "red fox, fox", "gray fox, fox"])
        #expect(labels.meaning(of: "Polish") == .label(0))
        #expect(labels.meaning(of: "polish") == .label(1))
        #expect(labels.meaning(of: "POLISH") == .unknown)
        #expect(labels.meaning(of: "fox") == .unknown)
        #expect(labels.meaning(of: "gray fox") == .label(3))
    }

    @Test func theBackgroundIsNoLabel() {
        let labels = names(["background", "cat"], background: 0)
        #expect(labels.meaning(of: "Background") == .nothing)
        #expect(labels.meaning(of: "cat") == .label(1))
    }

    @Test func aModelWithoutLabelsHasNumbers() {
        let labels = LabelNames(names: [], count: 3, backgroundIndex: nil)
        #expect(labels.names == ["class 0", "class 1", "class 2"])
        #expect(labels.meaning(of: "2") == .label(2))
        #expect(labels.meaning(of: "class_1") == .label(1))
        #expect(labels.meaning(of: "3") == .unknown)
    }

    @Test func namesOfSignsAloneStayApart() {
        let labels = names(["+", "-", "C++", "C"])
        #expect(labels.meaning(of: "+") == .label(0))
        #expect(labels.meaning(of: "-") == .label(1))
        #expect(labels.meaning(of: "c") == .unknown)
    }
}
