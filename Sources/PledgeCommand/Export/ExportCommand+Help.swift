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
          {"service":"exist","account":"NAME","error":{"kind":"unauthorized","status":401,"message":"…"}}

        OPTIONS
          --output FILE     write results there; FILE must not have any yet, unless --resume is said
          --resume          go on after whatever ended an earlier run: accounts with a line are not done again
          --retry-failed    with --resume: do accounts again whose line is an error
          --format csv      also write tables beside FILE: values, averages, correlations, insights, tasks, answers.
                            Text that a spreadsheet would run as a formula has an apostrophe in front there
          --days N          days of values and insights, back from today or from --through (default 7)
          --from DAY        the first day instead, as 2026-11-20
          --through DAY     the last day (default today)
          --sections NAMES  only these, with commas between: profile, attributes, averages, correlations, insights;
                            participant, project, devicedata, tasks, answers. Of a service not named, all
          --in-flight N     accounts at a time (default 16)
          --rate N          requests an hour for each token (default 300 for Exist; MyDataHelps tells its limit itself)
          --wait SECONDS    how long an account may wait for a limit, in all (default 3600)
          --timeout SECONDS how long one request may take (default 30)
          --transport NAME  what carries requests: curl (default on Linux) or urlsession
          --shard I/N       only the part I of N, counted from 0: the same accounts on every machine
          --quiet           no progress and no summary

        FILES
          What is made is for you alone (mode 600); a file that was there keeps its mode and its owner. FILE may be a
          link to where the results are; tables are never written through one.

        ENVIRONMENT
          EXIST_BASE_URL, MYDATAHELPS_BASE_URL  where the services are (default the real ones)

        EXIT CODES
          0 every account has a result    2 some accounts failed, or some lines could not be read
          1 it could not go on: a full disk, a closed pipe    64 the command line made no sense
          130 it was interrupted, after finishing what was under way

        """
}
