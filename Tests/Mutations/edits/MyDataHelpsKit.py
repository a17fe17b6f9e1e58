# Name, what stands once in the module, what stands there instead, and the tests that should notice.
edits = [
    ("an account is looked at once", "account.status.isFinal && isSure", "account.status.isFinal",
     "ExternalAccountTests"),
    ("the wait between looks does not grow", "max(wait, 0.1) * 1.5", "max(wait, 0.1)", "ExternalAccountTests"),
    ("the minute before the end is no margin", "min(-lifetime / 5, -min(60, lifetime))", "-lifetime / 5",
     "ServiceAccountTests|TokenTests"),
    ("a refused token is handed out again", "token.value != rejected && ", "",
     "ServiceAccountTests|TokenTests"),
]
