import TestSupport
import Testing

@Test(.enabled(if: TestData.isAvailable, TestData.reason)) func realDataIsThere() {
    #expect(TestData.isAvailable)
}
