import Testing

@testable import ModelHubServer

struct LabelDifferenceTests {
    @Test(
        arguments: [
            (["a", "b"], ["a", "b"], nil),
            (["a", "b"], ["a", "c"], ["b -> c"]),
            (["a", "b"], ["a", "b", "c"], ["+ c"]),
            (["a", "b", "c"], ["a", "c"], ["- b", "1 at other places of the list"]),
            (["a", "b"], ["b", "a"], ["2 at other places of the list"]),
            (["a"], [], ["- a"]),
            ([], ["a"], ["+ a"]),
        ] as [([String], [String], [String]?)]
    )
    func eachLabelIsNamed(_ old: [String], _ new: [String], _ lines: [String]?) {
        #expect(LabelDifference(from: old, to: new)?.lines == lines)
    }
}
