import Foundation

/// The web page of a survey, in a frame with a token.
extension ParticipantBackend {
    /// Requests the token from the enclosing page, and shows a button for each way to finish.
    func framedSurvey(_ request: ServerRequest) -> ServerResponse {
        let isKnown = SurveyRecords.all.contains { $0.name == request.queryValue("surveyName") }
        let script = """
            const known = \(isKnown);
            function tell(message) { window.parent.postMessage(message, "*"); }
            let token = "";
            async function finish(reason) {
                const headers = { Authorization: "Bearer " + token };
                await fetch(location.href + "&reason=" + reason, { method: "POST", headers: headers });
                tell({ name: "SurveyFinished", reason: reason });
            }
            window.addEventListener("message", function (event) {
                if (event.data.name !== "DelegatedAccessTokenResponse") { return; }
                document.title = event.data.participantID;
                token = event.data.accessToken.access_token;
                tell({ name: "SurveyWindowInitialized" });
                if (!known) { tell({ name: "SurveyFinished", reason: null }); }
            });
            tell({ name: "GetDelegatedAccessToken" });
            """
        let buttons = ["Completed", "Discarded", "Saved", "Closed"].map {
            "<button id=\"\($0)\" onclick=\"finish('\($0)')\">\($0)</button>"
        }
        let html = """
            <!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Survey</title>
            <body>\(buttons.joined())<script>\(script)</script></body></html>
            """
        return ServerResponse(
            status: 200, headers: ["Content-Type": "text/html; charset=utf-8"], body: Data(html.utf8))
    }

    /// Updates an open task for the survey: it is completed, or its answers are saved.
    func finishSurvey(_ request: ServerRequest) -> ServerResponse {
        let reason = request.queryValue("reason")
        let stamp = ServerJSON.string(ZonedTime.text(now()))
        return records.withLock { records in
            let open = records[.tasks].firstIndex { task in
                task.text("surveyName") == request.queryValue("surveyName") && task.text("status") == "incomplete"
            }
            guard let open, reason == "Completed" || reason == "Saved" else { return .empty(200) }
            records[.tasks][open].json["hasSavedProgress"] = .bool(reason == "Saved")
            records[.tasks][open].json["modifiedDate"] = stamp
            if reason == "Completed" {
                records[.tasks][open].json["status"] = "complete"
                records[.tasks][open].json["endDate"] = stamp
            }
            return .empty(200)
        }
    }
}
