"""`pledge export` as a step of a Spark job: a process for each partition, lines in, lines out.

    spark-submit spark_export.py ACCOUNTS RESULTS PARTITIONS [PLEDGE]

ACCOUNTS and RESULTS are whatever Spark reads and writes: files, HDFS, S3. PLEDGE is where the tool is on the workers.
Tokens are best not in ACCOUNTS: {"token":{"file":"/secrets/NAME"}} names a file that the workers have mounted.
"""

import os
import shlex
import sys

from pyspark.sql import SparkSession

FORWARDED = ("EXIST_BASE_URL", "MYDATAHELPS_BASE_URL")


def export(accounts, pledge, partitions):
    """Results of accounts: both are RDDs of lines.

    Accounts that failed have a line that says why, and the task has done its work: --accept-errors ends with 0 then. Any
    other exit code fails the task, and Spark runs the whole partition again; 3 says that a service is down. A partition
    may have no accounts, hence --accept-empty.
    """
    command = f"{shlex.quote(pledge)} export --quiet --accept-errors --accept-empty"
    environment = {name: os.environ[name] for name in FORWARDED if name in os.environ}
    # A process notices only its own duplicates, hence distinct; it also deals the accounts out evenly.
    lines = accounts.distinct(partitions)
    return lines.pipe(command, env=environment, checkCode=True)


if __name__ == "__main__":
    accounts, results, partitions = sys.argv[1:4]
    pledge = sys.argv[4] if len(sys.argv) > 4 else "pledge"
    spark = SparkSession.builder.appName("pledge-export").getOrCreate()
    lines = spark.sparkContext.textFile(accounts)
    # Saved before anything else looks at them: each action on what comes out of a pipe runs the pipe again.
    export(lines, pledge, int(partitions)).saveAsTextFile(results)
    spark.stop()
