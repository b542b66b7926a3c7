import Testing
import TestSupport

@Test(.enabled(if: TestData.isAvailable, TestData.reason)) func realDataIsThere() {
    #expect(TestData.isAvailable)
}
