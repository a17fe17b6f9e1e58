# Each mistake has a name, the code that it replaces, the wrong code, and the tests that should notice the mistake. The code to
# replace must occur exactly once in the module.
edits = [
    ("lines count before they are synced", "            if isSynced { try file.sync() }\n", "", "LinesFileTests"),
    ("lines of an earlier run count without a sync", "        try file.sync()\n        self.length",
     "        self.length", "LinesFileTests"),
    ("the name of a new file is not synced", """        try location.syncFolder()
    }

    /// Keeps""", """    }

    /// Keeps""", "LinesFileTests"),
    ("a new file takes the old one's place before it is synced", "if syncs { try file.sync() }\nif let old",
     "defer { try? file.sync() }\nif let old", "LinesFileTests"),
    ("a rename is not synced", "isPending = false\nif syncs { try location.syncFolder() }", "isPending = false", "LinesFileTests"),
    ("two processes write a file", "guard file.lock(), location.holds(file) else", "guard location.holds(file) else",
     "LinesFileTests"),
    ("a file that was replaced until it was locked is written", "guard file.lock(), location.holds(file) else",
     "guard file.lock() else", "LinesFileTests"),
    ("part of a line stays on a full disk", "            try? file.truncate(to: length)\n", "", "LinesFileTests"),
    ("a file that another program has changed is written", "if location != nil, try file.length() != length {",
     "if location != nil, try file.length() < length {", "LinesFileTests"),
    ("the end of a file that was cut off is kept", "        try file.truncate(to: length)\n        try file.sync()",
     "        try file.sync()", "LinesFileTests"),
    ("a last line without its end is lost", "case .result: wholeLength = damaged.range.upperBound + 1",
     "case .result: break", "LinesFileTests"),
    ("a last line gets no end", "        if try file.length() < length { try file.writeAll([0x0A]) }\n", "",
     "LinesFileTests"),
    ("a line with zeros counts", "{ !isWhole || hasZeros }", "{ !isWhole }", "LinesFileTests"),
    ("a line is dropped without its end", "            start = end.upperBound\n",
     "            start = max(start, end.upperBound - 1)\n", "SystemFileTests"),
    ("the rest of a short write is lost", "            while !rest.isEmpty {",
     "            if !rest.isEmpty {", "LinesFileTests"),
    ("a file that others can read is written", "var excess = status.st_mode & 0o777 & ~mode",
     "var excess = status.st_mode & 0o222 & ~mode", "OutputPathTests"),
    ("any group may have a file", "parent.st_mode & S_ISGID != 0 && parent.st_mode & S_IWOTH", "parent.st_mode & S_IWOTH", "OutputPathTests"),
    ("everybody may write a token", "status.st_mode & S_IWOTH != 0,", "false,", "SystemFileTests"),
    ("a token is stored where no mode is kept", "guard isKept(new) || !isSecret else", "guard isKept(new) || true else",
     "OutputPathTests"),
    ("a link in a folder that others can write is followed", "fileStatus(folder), status.st_mode & S_IWOTH == 0 else",
     "fileStatus(folder) else",
     "OutputPathTests"),
    ("a link that another user has made is followed", "[link, status].allSatisfy", "[status].allSatisfy",
     "OutputPathTests"),
    ("what a killed writer has left stays", """        removeAbandoned()
        for _ in 0..<16 {""", "        for _ in 0..<16 {", "OutputPathTests"),
    ("a file that is being written is taken for an abandoned one", "return file.isRegular && file.lock() && remove(name)",
     "return file.isRegular && remove(name)", "OutputPathTests"),
    ("a folder that a group may write is its owner's alone",
     " || folder.st_mode & S_IWGRP != 0 && !isGroup(folder.st_gid, only: owner)", "", "OutputPathTests"),
    ("two processes hold a lock", "flock(file.descriptor, LOCK_EX)", "flock(file.descriptor, LOCK_SH)", "SystemFileTests"),
]
