import Foundation
import SightlineTestSupport
import Testing

@testable import ModelHubServer

/// The forms for conditions and for parameters whose values name models.
@Suite(.hangLimit)
struct ConfigFormTests {
    @Test(arguments: [
        ("device.os == 'ios'", \ConditionMenus.platform, "ios"),
        ("device.os in ['linux']", \.platform, "linux"),
        ("app.id in ['1:1:ios:a', '1:1:ios:b']", \.apps, "1:1:ios:a, 1:1:ios:b"),
        ("app.version.>=(['2.1.0'])", \.version, "2.1.0"),
        ("app.version.!=(['2.1.0'])", \.comparison, "!="),
        ("device.country in ['AT', 'DE']", \.countries, "AT, DE"),
        ("device.language in ['de']", \.languages, "de"),
        ("percent <= 10", \.percent, "10"),
        ("percent('flowers') <= 0", \.seed, "flowers"),
    ])
    func aMenuShowsItsTerm(_ text: String, _ field: KeyPath<ConditionMenus, String> & Sendable, _ value: String) throws
    {
        let menus = ConditionMenus(expression: text)
        #expect(menus[keyPath: field] == value && menus.expression.isEmpty)
        #expect(try menus.whole() == ConditionExpression(text))
    }

    @Test(arguments: [
        "percent > 10", "percent <= 0.5", "percent <= 100", "percent('a') between 0 and 50",
        "app.version.>=(['1', '2'])",
        "app.version.contains(['beta'])", "device.country in ['a,b']", "device.os in ['ios', 'web']",
        "app.customSignal['plan'].exactlyMatches(['it\\'s'])", "true",
        "dateTime >= dateTime('2027-01-01T00:00:00', 'Europe/Berlin')",
    ])
    func otherTermsStayAsTheyAre(_ text: String) throws {
        let menus = ConditionMenus(expression: text)
        var expected = ConditionMenus()
        expected.expression = try ConditionExpression(text).description
        #expect(menus == expected)
        #expect(try menus.whole() == ConditionExpression(text))
        #expect(try menus.text(replacing: text) == text)
    }

    @Test func twoTermsOfAKindAreBothKept() throws {
        let text = "percent('a') <= 50 && percent('b') <= 50 && device.os == 'ios' && device.country in ['AT']"
        let menus = ConditionMenus(expression: text)
        #expect(menus.seed == "a" && menus.expression == "percent('b') <= 50")
        #expect(try menus.whole().hasSameTerms(as: ConditionExpression(text)))
        // Saving a form without changes does not change the text.
        #expect(try menus.text(replacing: text) == text)
    }

    @Test func aWrongFieldIsNamed() {
        func problem(_ change: (inout ConditionMenus) -> Void) -> String {
            var menus = ConditionMenus()
            change(&menus)
            do {
                return try menus.whole().description
            } catch {
                return error.message
            }
        }
        #expect(problem { _ in }.contains("selects all installations"))
        #expect(problem { $0.percent = "100" }.contains("selects all installations"))
        #expect(problem { $0.percent = "12.5" }.contains("is not a share"))
        #expect(problem { $0.comparison = ">=" }.contains("is not a version"))
        #expect(problem { ($0.percent, $0.seed) = ("5", "a b") }.contains("a seed has up to 32 letters"))
        #expect(problem { $0.expression = "a || b" }.contains("wrong at character 1"))
        #expect(problem { $0.countries = "AT, Germany" }.contains("\"Germany\" is not the code of a country"))
        #expect(problem { $0.languages = "German" }.contains("\"German\" is not the code of a language"))
        #expect(problem { ($0.countries, $0.languages) = ("at", "de-AT, en_US, gsw") }.contains("'gsw'"))
        #expect(problem { $0.platform = "it's" } == "device.os == 'it\\'s'")
    }

    /// A hub with a published model `plants` and a model `draft`, and a browser of a publisher.
    private func browse(
        _ body: @escaping @Sendable (TestHub, TestClient, ConsoleClient) async throws -> Void
    ) async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                _ = try await client.publish("plants", file: fakeModel())
                _ = try await client.create("draft", file: fakeModel(2))
                try await body(test, client, try await ConsoleClient.signedIn(client, test.publisher))
            }
        }
    }

    private func etag(_ browser: ConsoleClient) async throws -> String {
        let text = try await browser.get("/console/config/json").text
        return String(try #require(text.firstMatch(of: /name="etag" value="([^"]+)"/)).1)
    }

    @Test func aConditionIsMadeFromMenus() async throws {
        try await browse { test, _, browser in
            let fields = [
                "etag": try await etag(browser), "name": "Some", "color": "", "platform": "ios", "comparison": ">=",
                "version": "2.1", "countries": "AT,DE", "percent": "20", "expression": "app.build.>=(['7'])",
            ]
            #expect(try await browser.post("/console/config/conditions/%2B", fields).status == 303)
            let template = try await test.hub.configTemplate(by: .local(try await test.hub.testProject())).template
            #expect(
                template.conditions.map(\.expression) == [
                    "device.os == 'ios' && app.version.>=(['2.1']) && device.country in ['AT', 'DE'] && percent <= 20 && app.build.>=(['7'])"
                ]
            )
            let page = try await browser.get("/console/config/conditions/Some").text
            #expect(
                page.contains("<option value=\"ios\" selected>iOS")
                    && page.contains("name=\"countries\" type=\"text\" value=\"AT, DE\"")
            )
            #expect(
                page.contains("<option value=\"AT\">Austria</option>")
                    && page.contains("<option value=\"de\">German</option>")
            )
            var wrong = fields
            wrong["etag"] = try await etag(browser)
            wrong["percent"] = "120"
            let refused = try await browser.post("/console/config/conditions/Some", wrong)
            #expect(refused.status == 400 && refused.text.contains("is not a share of the installations"))
            #expect(
                refused.text.contains("name=\"percent\" type=\"number\" min=\"0\" max=\"100\" step=\"1\" value=\"120\"")
            )
            let live = try await browser.get("/console/config/expression?platform=web&percent=5")
            #expect(live.text("expression") == "device.os == 'web' && percent <= 5")
        }
    }

    @Test func aParameterOffersTheModelsAndWarnsAboutOthers() async throws {
        try await browse { test, client, browser in
            func publish(_ key: String, _ fields: [String: String]) async throws -> String {
                var fields = fields.merging(["type": "STRING", "description": ""]) { $1 }
                fields["etag"] = try await etag(browser)
                let isNew = fields["key"] == nil
                if isNew { fields["key"] = key }
                let path = "/console/config/parameters/\(isNew ? "%2B" : key)"
                let reply = try await browser.post(path, fields)
                #expect(reply.status == 303, "\(reply.text)")
                return try await browser.get("/console/config").text
            }
            let new = try await browser.get("/console/config/parameters/%2B").text
            #expect(new.contains("<option value=\"draft\"></option><option value=\"plants\"></option>"))
            let right = try await publish("plant_model", ["kind": "model", "model": "plants"])
            #expect(!right.contains("Warning") && !right.contains("badge-warning"))
            let page = try await browser.get("/console/config/parameters/plant_model").text
            #expect(
                page.contains("<option value=\"model\" selected>")
                    && page.contains("name=\"model\" type=\"text\" value=\"plants\"")
            )

            let wrong = try await publish(
                "plant_model",
                ["key": "plant_model", "kind": "model", "model": "nosuchmodel"]
            )
            let sentence = "The project has no model nosuchmodel; upload it, or correct the name."
            #expect(wrong.contains("Warning: plant_model: \(sentence)"))
            #expect(wrong.contains("<span class=\"badge badge-warning\">\(sentence)</span>"))
            #expect(try await browser.get("/console/config/parameters/plant_model").text.contains(sentence))
            // The warning belongs to the change that caused it.
            let other = try await publish("greeting", ["kind": "text", "value": "hello"])
            #expect(!other.contains("Warning:") && other.contains("badge-warning"))
            let draft = try await publish("plant_model", ["key": "plant_model", "kind": "text", "value": "draft"])
            #expect(draft.contains("The model draft is not published; publish it, so that apps can download it."))
            // A template from a file shows the same.
            let json =
                #"{"parameters":{"modelName":{"defaultValue":{"value":"nosuchmodel"}},"model_threshold":{"defaultValue":{"value":"0.5"}}}}"#
            try await client.putConfig(json)
            let shown = try await browser.get("/console/config").text
            #expect(shown.ranges(of: "badge-warning").count == 1 && shown.contains(sentence))
        }
    }

    /// The message for a form's author, who does not see the JSON.
    @Test func aWrongValueIsNamedByItsParameter() async throws {
        try await browse { _, client, browser in
            try await client.putConfig(#"{"conditions":[{"name":"some","expression":"percent <= 5"}]}"#)
            let fields = ["key": "num", "type": "NUMBER", "description": "", "kind": "text", "value": "1"]
            func message(_ change: [String: String]) async throws -> String {
                var fields = fields.merging(change) { $1 }
                fields["etag"] = try await etag(browser)
                let reply = try await browser.post("/console/config/parameters/%2B", fields)
                #expect(reply.status == 400)
                return reply.text
            }
            let byDefault = try await message(["value": "abc"])
            #expect(
                byDefault.contains(
                    "The default value of the parameter &quot;num&quot; is wrong: &quot;abc&quot; is not a number"
                )
            )
            let byCondition = try await message(["kind-0": "text", "value-0": "abc"])
            #expect(byCondition.contains("The value of the parameter &quot;num&quot; for &quot;some&quot; is wrong"))
            let byKey = try await message(["key": "constructor"])
            #expect(byKey.contains("The parameter &quot;constructor&quot; is wrong"))
            #expect(!(byDefault + byCondition + byKey).contains("line 1"))
        }
    }

    @Test func aChosenModelIsCheckedWhateverTheNameOfItsParameter() async throws {
        try await browse { _, _, browser in
            let fields = [
                "etag": try await etag(browser), "key": "m2", "type": "STRING", "description": "", "kind": "model",
                "model": "flwers",
            ]
            #expect(try await browser.post("/console/config/parameters/%2B", fields).status == 303)
            #expect(
                try await browser.get("/console/config").text.contains("Warning: m2: The project has no model flwers")
            )
        }
    }

    private static let plan = """
        {"experimentId":"e2","parameter":"plant_model","variants":[{"variantId":"control"},{"variantId":"new","value":"flowers_v9"}]}
        """

    @Test func anExperimentShowsItsValuesAndBelongsToItsParameterOnly() async throws {
        try await browse { _, client, browser in
            try await client.putConfig(#"{"parameters":{"plant_model":{"defaultValue":{"value":"plants"}}}}"#)
            #expect(try await client.post("/hub/v1/projects/\(TestHub.project)/experiments", Self.plan).status == 200)
            let page = try await browser.get("/console/config").text
            #expect(page.contains("random: control as before, new “flowers_v9”"))
            #expect(page.contains("<span class=\"badge badge-warning\">The project has no model flowers_v9;"))
            #expect(!(try await browser.get("/console/config/parameters/%2B").text.contains("experiment e2")))
            #expect(try await browser.get("/console/config/parameters/plant_model").text.contains("experiment e2"))
            // A condition that only has such a name stays an ordinary one.
            let ordinary = #"{"conditions":[{"name":"experiment x","expression":"true"}]}"#
            #expect(
                try await client.post("/hub/v1/projects/\(TestHub.project)/experiments/e2:stop", "{}").status == 200
            )
            try await client.putConfig(ordinary)
            #expect(try await browser.get("/console/config/parameters/%2B").text.contains("experiment x"))
        }
    }

    @Test func anExperimentWithAMissingModelIsWarnedAboutAtItsStartAndItsEnd() async throws {
        try await browse { _, client, browser in
            try await client.putConfig(#"{"parameters":{"plant_model":{"defaultValue":{"value":"plants"}}}}"#)
            let fields = [
                "id": "e3", "parameter": "plant_model", "condition": "", "exposure": "100", "variant-0": "control",
                "unchanged-0": "yes", "weight-0": "1", "variant-1": "new", "value-1": "nosuch", "weight-1": "1",
            ]
            #expect(try await browser.post("/console/experiments", fields).status == 303)
            let path = "/console/experiments/e3"
            let warning = "Warning: plant_model: The project has no model nosuch"
            #expect(try await browser.get(path).text.contains(warning))
            #expect(try await browser.post(path + "/stop", ["winner": "new"]).status == 303)
            #expect(try await browser.get(path).text.contains(warning))
            let versions = try await browser.get("/console/config/versions").text
            #expect(versions.contains("<td data-label=\"With\">console</td>"))
        }
    }

    @Test func aVersionThatARunningExperimentPreventsLinksToIt() async throws {
        try await browse { _, client, browser in
            try await client.putConfig(#"{"parameters":{"plant_model":{"defaultValue":{"value":"plants"}}}}"#)
            #expect(try await client.post("/hub/v1/projects/\(TestHub.project)/experiments", Self.plan).status == 200)
            let page = try await browser.get("/console/config/versions/1").text
            #expect(page.contains("stop the running experiment <a href=\"/console/experiments/e2\">e2</a> first"))
            #expect(!page.contains("Roll back to version 1"))
            #expect(
                try await client.post("/hub/v1/projects/\(TestHub.project)/experiments/e2:stop", "{}").status == 200
            )
            #expect(try await browser.get("/console/config/versions/1").text.contains("Roll back to version 1"))
        }
    }

    @Test func aModelInUseIsNotDeletedUnawares() async throws {
        try await TestHub.with { test in
            try await test.serve { client in
                let id = try await client.publish("birds", file: fakeModel())
                let browser = try await ConsoleClient.signedIn(client, test.admin)
                #expect(
                    !(try await browser.get("/console/models/\(id)/delete").text.contains("Change these values first"))
                )
                let json = """
                    {"conditions":[{"name":"beta","expression":"true"}],"parameters":{"bird_model":{"defaultValue":{"value":"x"},\
                    "conditionalValues":{"beta":{"value":"birds"}}}}}
                    """
                try await client.putConfig(json)
                let page = try await browser.get("/console/models/\(id)/delete").text
                #expect(page.contains("<li>parameter bird_model, condition &quot;beta&quot;</li>"))
                #expect(
                    try await browser.post("/console/models/\(id)/publication", ["published": "false"]).status == 303
                )
                #expect(try await browser.get("/console/models/\(id)").text.contains("Remote Config still names birds"))
            }
        }
    }

    @Test(arguments: [
        ("model", true), ("plant_model", true), ("plantModel", true), ("modelName", true), ("MODEL", true),
        ("model_name", true), ("model2", true), ("model_threshold", false), ("remodel", false), ("models_url", false),
        ("name", false), ("", false),
    ])
    func aKeyTellsWhetherValuesNameModels(_ key: String, _ isModel: Bool) {
        #expect(ModelParameters.endsWithModel(key) == isModel)
    }
}
