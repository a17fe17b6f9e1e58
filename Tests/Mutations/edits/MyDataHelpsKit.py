# Each mistake has a name, the code that it replaces, the wrong code, and the tests that should notice the mistake. The code to
# replace must occur exactly once in the module.
edits = [
    ("an account is looked at once", "status.isFinal && hasStarted", "status.isFinal", "ExternalAccountTests"),
    ("the minute before the end is no margin", "-max(lifetime / 5, min(60, lifetime / 2))", "-lifetime / 5",
     "ServiceAccountTests|TokenTests"),
    ("a refused token is handed out again", "token.value != rejected && ", "",
     "ServiceAccountTests|TokenTests"),
    ("a page whose process ends is loaded for ever",
     "guard !isReloaded else { return finish(.failure(.webContentError(Self.processEndedTwice))) }", "", "SurveyFlowTests"),
    ("a participant cannot leave a survey that loads", "case (_, .cancelled): return finish(.success(cancelled))", "",
     "SurveyFlowTests"),
    ("an encoded date loses its last digits", "Timestamp.text(date, digits: 9)", "Timestamp.text(date, digits: 6)",
     "EncodingTests"),
    ("the device data of others is taken for a participant's",
     "$0.participantIdentifier ?? participantIdentifier == participantIdentifier", "_ = $0; return true", "DeviceDataV2Tests"),
    ("an offset beside a date counts more than that of its text", "if date.utcOffset == nil { date.utcOffset = offset }",
     "if let offset { date.utcOffset = offset }", "ObservedDateTests"),
    ("a service that ignores the page number is asked on and on", "items.isEmpty || items != itemsBefore", "true",
     "ExternalAccountTests|ServiceAccountTests"),
    ("a token with a short lifetime is never used again", "min(60, lifetime / 2)", "min(60, lifetime)", "ServiceAccountTests"),
    ("a 403 that announces a limit is no longer about the limit", "        kind = error.kind\n",
     "        kind = Diagnosis(status: statusCode).kind\n", "ErrorTests"),
]
