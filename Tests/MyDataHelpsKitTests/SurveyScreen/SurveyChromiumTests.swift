#if os(Linux) || os(macOS)
    import Foundation
    import MyDataHelpsKit
    import PledgeSandbox
    import PledgeTestSupport
    import Testing

    /// Tests of the page around a survey in a real browser, with the sandbox as the page's host. They are skipped if
    /// Chromium isn't installed.
    @Suite("The page around a survey, in Chromium", .serialized, .chromium)
    struct SurveyChromiumTests {
        private let mdh: MyDataHelpsCase
        init() throws { mdh = try MyDataHelpsCase() }

        /// Loads the page, runs `script` as soon as the survey is ready, and returns the calls to the native handlers,
        /// in order.
        private func calls(
            _ mdh: MyDataHelpsCase, survey: String = "DailyMood", extra: String = "", whenReady script: String = ""
        ) async throws -> [String] {
            let page = try await mdh.session.surveyPresentation(surveyName: survey).page().value
            // Stands in for the web view: records the calls to the handlers where the test can read them.
            let shim = """
                <script>
                function note(name, body) {
                    const seen = document.documentElement.dataset;
                    seen.calls = (seen.calls || "") + name + "=" + body + ";";
                }
                window.webkit = { messageHandlers: {
                    SurveyWindowInitialized: { postMessage: function (body) {
                        note("ready", body);
                        const survey = document.getElementById("survey").contentDocument;
                        \(script)
                    } },
                    SurveyFinished: { postMessage: function (body) { note("finished", body); } }
                } };
                </script>
                """
            let html = page.html.replacingOccurrences(of: "<head>", with: "<head>\(shim)")
                .replacingOccurrences(of: "</body>", with: "\(extra)</body>")
            mdh.sandbox.server.script.next(
                matching: "GET /wrapper",
                respond: ServerResponse(
                    status: 200, headers: ["Content-Type": "text/html; charset=utf-8"], body: Data(html.utf8)))
            let dom = try Chromium.dom(of: mdh.sandbox.baseURL.appendingPathComponent("wrapper"))
            guard let start = dom.range(of: "data-calls=\"") else { return [] }
            let text = dom[start.upperBound...].prefix { $0 != "\"" }
            return text.split(separator: ";").map(String.init)
        }

        // The title of the survey's frame is for screen readers.
        @Test(
            "A survey gets its title and token, reports that it is ready, and ends with an outcome that its task shows",
            arguments: SurveyOutcome.allCases)
        func wholeWay(outcome: SurveyOutcome) async throws {
            // The frame gets its title once it is loaded. On a busy machine, that may be after the survey has got its
            // participant, so this script waits for the title.
            let look = """
                (function look() {
                    const title = document.getElementById('survey').title;
                    if (!title) { return setTimeout(look, 5); }
                    survey.getElementById('\(outcome.rawValue)').click();
                    note('titled', ['Survey', survey.title].includes(title)); note('seen by', survey.title);
                })();
                """
            let calls = try await calls(mdh, whenReady: look)

            let seen = ["titled=true", "seen by=\(mdh.sandbox.participantID)"]
            #expect(calls == ["ready=true"] + seen + ["finished=\(outcome.rawValue)"])
            let tasks = try await mdh.session.querySurveyTasks(SurveyTaskQuery(surveyNames: ["DailyMood"]))
            let task = try #require(tasks.first)
            #expect(task.status == (outcome == .completed ? .complete : .incomplete))
            #expect(task.hasSavedProgress == (outcome == .saved))
        }

        @Test(
            "A survey name that would end the page's script does no harm, and an unknown survey ends without a reason")
        func unknown() async throws {
            let name = "</script><script>document.documentElement.dataset.calls = 'broken;'</script>\"'`"
            let calls = try await calls(mdh, survey: name)
            #expect(calls == ["ready=true", "finished=null"])
            let asked = mdh.sandbox.server.requests.first { $0.path == "/survey" }
            #expect(asked?.queryValue("surveyName") == name)
        }

        @Test("Messages from another origin and from the page itself are ignored")
        func strangers() async throws {
            let shout = "postMessage({ name: 'SurveyFinished', reason: 'Completed' }, '*');"
            let stranger = """
                <iframe sandbox="allow-scripts" srcdoc="<script>parent.\(shout)</script>"></iframe>
                <script>window.\(shout)</script>
                """

            #expect(try await calls(mdh, extra: stranger) == ["ready=true"])
        }

        @Test("A message from the frame is ignored once the frame shows another origin")
        func wanderedOff() async throws {
            let other = try MyDataHelpsCase()
            defer { other.sandbox.stop() }
            let page = """
                <script>
                function tell(message) { parent.postMessage(message, "*"); }
                window.addEventListener("message", function () { tell({ name: "got the token" }); });
                tell({ name: "GetDelegatedAccessToken" });
                tell({ name: "SurveyFinished", reason: "Completed" });
                </script>
                """
            other.answer("GET /elsewhere", type: "text/html", page)
            let listener = """
                <script>
                window.addEventListener("message", function (event) {
                    if (event.origin !== location.origin) { note("heard", event.data.name); }
                });
                </script>
                """

            let calls = try await calls(
                mdh, extra: listener,
                whenReady: "document.getElementById('survey').src = '\(other.sandbox.baseURL)elsewhere';")

            #expect(calls == ["ready=true", "heard=GetDelegatedAccessToken", "heard=SurveyFinished"])
        }

        @Test("The sample messages are forwarded or answered as in the samples, and unknown messages are ignored")
        func samples() async throws {
            let messages = try sample("survey_messages_2x")
            let response = try #require(
                JSONDecoder().decode([[String: JSONValue]].self, from: messages).first {
                    $0["name"] == .string("DelegatedAccessTokenResponse")
                })
            let inFrame = """
                window.addEventListener("message", function (event) {
                    const response = event.data;
                    parent.note(Object.keys(response).sort(), [
                        response.name, Object.keys(response.accessToken), response.accessToken.access_token, response.baseUrl,
                        response.participantID].join("|"));
                });
                for (const message of \(String(decoding: messages, as: UTF8.self))) { parent.postMessage(message, "*"); }
                """
            // This script runs each time the page reports that it is ready. The sample messages make the page report
            // this again, so the script must send them only once.
            let script = """
                if (window.isSent) { return; }
                window.isSent = true;
                const script = survey.createElement("script");
                script.textContent = \(String(decoding: try JSONEncoder().encode(inFrame), as: UTF8.self));
                survey.body.append(script);
                """

            let calls = try await calls(mdh, whenReady: script)

            let values = [
                "DelegatedAccessTokenResponse", "access_token", mdh.sandbox.token, mdh.sandbox.baseURL.absoluteString,
                mdh.sandbox.participantID,
            ]
            #expect(
                calls.filter { !$0.contains("|") } == [
                    "ready=true", "ready=true", "finished=Completed", "finished=Discarded", "finished=Saved",
                    "finished=null", "finished=TimedOutByRobot", "ready=true",
                ])
            #expect(
                calls.filter { $0.contains("|") } == [
                    "\(response.keys.sorted().joined(separator: ","))=\(values.joined(separator: "|"))"
                ])
        }
    }
#endif
