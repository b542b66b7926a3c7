import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// Regular expressions of conditions. Expected answers are those of RE2.
@Suite(.hangLimit)
struct TextPatternTests {
    @Test(arguments: [
        ("", ""), ("", "abc"), ("abc", "xabcx"), ("^abc$", "abc"), ("a|b|c", "xxc"), ("a*b", "b"), ("a+b", "aab"),
        ("colou?r", "color"), ("a.c", "aéc"), ("[a-c]+$", "xxabc"), ("[^a-c]", "abcd"), ("[]]", "]"), ("[a-]", "-"),
        (#"^2\.[0-9]+$"#, "2.17"), (#"\d{3}-\d{4}"#, "call 555-1234"), ("^a{2,3}$", "aaa"), ("^a{2,}$", "aaaaa"),
        ("^a{2}$", "aa"), ("a{,3}", "a{,3}"), ("x{", "x{"), (#"\bcat\b"#, "a cat sat"), (#"\Bat"#, "cat"),
        (#"^\w+\s\S+$"#, "hello wörld"), (#"\D\W"#, "a!"), ("(?i)straße", "STRAßE"), ("(?i)ÄPFEL", "äpfel"),
        ("(?i:a)b", "Ab"), ("(?P<year>20[0-9]{2})", "in 2027"), ("(?<year>20)", "2027"), ("(?:ab)+c", "ababc"),
        ("(a|(b|c))+d", "abcd"), ("(?s)a.b", "a\nb"), ("(?m)^b$", "a\nb\nc"), (#"\Ab"#, "b"), (#"a\z"#, "ba"),
        (#"\x41\x{1F600}"#, "A😀"), (#"\.\*\_\-"#, ".*_-"), (#"[\d.]+"#, "1.2"), (#"[^\D]"#, "5"), ("[[:alpha:]]", "1a"),
        ("[[:^digit:]]", "1a"), ("(a*)*", ""), ("(a*)+b", "aab"), ("(|a)+b", "aab"), ("a*?b", "aab"), ("a??b", "b"),
        ("日本", "東京は日本の"), ("(?-i)a", "a"), ("a(?i)b|c", "C"), ("()*x", "x"), ("$^", ""),
    ])
    func matches(pattern: String, text: String) throws {
        #expect(try TextPattern(pattern).matches(text))
    }

    @Test(arguments: [
        ("abc", "ab"), ("^abc$", "xabc"), ("^abc", "xabc"), ("abc$", "abcx"), ("a.c", "a\nc"), ("[a-c]", "d"),
        ("^a{2,3}$", "aaaa"), ("^a{2}$", "a"), (#"\bcat\b"#, "concatenate"), ("a", "A"), ("(?i:a)b", "AB"),
        ("^b$", "a\nb"), (#"\d"#, "٣"), ("(a|b)c", "c"), ("a+b", "b"), ("[^a]", "a"), ("x", ""), ("(?i)[^a]", "A"),
        (#"a\z"#, "a\n"), ("^(a|ab)(c|bcd)$", "abbc"),
    ])
    func doesNotMatch(pattern: String, text: String) throws {
        #expect(try !TextPattern(pattern).matches(text))
    }

    @Test(arguments: [
        ("(", "a parenthesis is not closed"), (")", "unexpected )"), ("[a", "a bracket is not closed"),
        ("[b-a]", "a range ends before it begins"), ("*a", "nothing before *"), ("a**", "a repetition is repeated"),
        ("{2}", "nothing before {"),
        ("a{2}{3}", "a repetition is repeated"), ("a{1001}", "counts up to 1000"), ("a{3,2}", "from the smaller"),
        (#"(a)\1"#, #"\1 is not supported"#), ("(?=a)", "(?= is not supported"), ("(?!a)", "(?! is not supported"),
        ("(?<=a)b", "looking back"), (#"\pL"#, #"\p is not supported"#), (#"\Qa\E"#, #"\Q is not supported"#),
        (#"a\"#, "nothing follows the backslash"), (#"\x{110000}"#, "code point"), ("a{1000}b", "more than 1000 steps"),
        ("(((()*){1000}){1000}){1000}", "more than 1000 steps"), ("[[:foo:]]", "the name of a class"),
        (String(repeating: "(", count: 1000), "nest deeper than 50"),
    ])
    func whatIsNotSupportedIsSaid(pattern: String, reason: String) {
        let failure = #expect(throws: PatternFailure.self) { try TextPattern(pattern) }
        #expect(failure?.reason.contains(reason) == true, "\(failure?.reason ?? "")")
    }

    /// Engines that try alternatives one by one need longer than the universe is old.
    @Test(arguments: ["^(a*)*$", "^(a|aa)+$", "^(a|a?)+$", "^((a+)+)+$", "^a{0,200}a{0,200}a*$"])
    func noPatternHangs(pattern: String) throws {
        #expect(try !TextPattern(pattern).matches(String(repeating: "a", count: 500) + "!"))
    }

    @Test func noTextMakesTheParserTrap() {
        var random = RepeatableRandom(seed: 11)
        let pieces = [
            "a", "b", "é", "(", ")", "[", "]", "^", "$", ".", "*", "+", "?", "{", "}", "1", ",", "|", "\\", "-", ":",
            "(?i", "(?P<n>", "[:alpha:]", "\\x", "\\d", "\u{0}",
        ]
        for _ in 0..<20_000 {
            let pattern = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            _ = (try? TextPattern(pattern))?.matches("ab1é\n-")
        }
    }
}
