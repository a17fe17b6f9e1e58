extension ExportCommand {
    static let help = """
        pledge export: the data of many accounts, a line of JSON for each

        USAGE
          pledge export [accounts.jsonl] [options]    without a file, or with -, accounts come from standard input

        INPUT, a line for each account
          {"service":"exist","account":"NAME","token":"TOKEN"}
          {"service":"mydatahelps","account":"NAME","token":"TOKEN"}
          NAME is yours to choose, and names the result. TOKEN may also be {"env":"VARIABLE"} or {"file":"PATH"}.
          A simple token of Exist has "kind":"simple" beside it. Other members are left alone.

        OUTPUT, a line for each account
          {"service":"exist","account":"NAME","profile":…,"values":[…],"attributes":[…],"averages":[…],…}
          {"service":"mydatahelps","account":"NAME","participant":…,"project":…,"values":[…],"tasks":[…],…}
          {"service":"exist","account":"NAME","error":{"kind":"unauthorized","status":401,"message":"…"},…}

        WHAT IS ASKED FOR
          --days N          days of values and insights, back from today or from --through (default 7)
          --from DAY        the first day instead, as 2026-11-20
          --through DAY     the last day (default the day on which the run began)
          --sections NAMES  only these, with commas between: profile, attributes, averages, correlations, insights;
                            participant, project, devicedata, tasks, answers. Of a service not named, all
          --correlations W  all (default) or strong
          --shard I/N       only the part I of N, counted from 0: the same accounts on every machine
          --check           ask for each account's profile only, and show what would fail

        WHERE IT GOES
          --output FILE     write results there; FILE must not have any yet, unless --resume is said
          --format csv      also write tables beside FILE: values, averages, correlations, insights, tasks, answers.
                            Text that a spreadsheet would run as a formula has an apostrophe in front there
          --resume          go on after whatever ended an earlier run: accounts with a line are not done again, but for
                            those whose error may be over (\(AccountError.passingKinds.sorted().joined(separator: ", ")),
                            and replies that were cut off)
          --retry KINDS     with --resume: do accounts again with these kinds of errors instead; “all” for every kind
          --adopt           with --resume: take over results that have no FILE.run beside them

        HOW IT GOES ABOUT IT
          --in-flight N     accounts at work at a time; those that wait do not count (default 16)
          --rate N          requests an hour for each token (default 300 for Exist; MyDataHelps tells its limit itself)
          --total-rate N    requests an hour for the whole process, evenly spaced (default any number)
          --wait SECONDS    how long an account may wait for limits, in all (default 3600)
          --outage-wait SECONDS  how long to wait for a service that is down (default 900)
          --timeout SECONDS how long one request may take (default 30)
          --transport NAME  what carries requests: curl (default on Linux) or urlsession

        WHAT IT SAYS
          --quiet           no progress and no summary
          --log json        each event as a line of JSON on standard error
          --summary FILE    figures at the end, as JSON
          --metrics FILE    figures for a textfile collector of Prometheus, every ten seconds
          --accept-errors   exit code 0 instead of 2, for platforms that take any other for a failure

        FILES
          What is made is for you alone (mode 600), figures for Prometheus excepted; a file that was there keeps its
          mode and its owner. FILE may be a link to where the results are; tables are never written through one.
          FILE.run remembers the options of a run, so that --resume asks for the same.

        ENVIRONMENT
          EXIST_BASE_URL, MYDATAHELPS_BASE_URL  where the services are (default the real ones)

        EXIT CODES
          0 every account has a result    2 some accounts failed, or some lines could not be read
          3 stopped because a service is down; accounts that are not done have no line    130 it was interrupted
          1 it could not go on: a full disk, results that were moved away    64 the command line made no sense

        """
}
