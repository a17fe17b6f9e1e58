"""Runs `pledge export` as a step of a Spark job. Each partition has a process that reads account lines and prints result lines.

    spark-submit spark_export.py ACCOUNTS RESULTS PARTITIONS [PLEDGE]

ACCOUNTS and RESULTS are anything that Spark can read and write, such as files, HDFS, or S3. PLEDGE is the path of the tool
on the workers. Don't put tokens into ACCOUNTS. Instead, {"token":{"file":"/secrets/NAME"}} names a file that is mounted on
the workers.
"""

import os
import shlex
import sys

from pyspark.sql import SparkSession

FORWARDED = ("EXIST_BASE_URL", "MYDATAHELPS_BASE_URL")


def export(accounts, pledge, partitions):
    """Returns the results of accounts. Both are RDDs of lines.

    A failed account has a line that says why, and doesn't fail the task, because --accept-errors makes the exit code 0. Any
    other exit code fails the task, and Spark runs the whole partition again. For example, 3 means that a service is down.
    A partition may have no accounts, so --accept-empty is needed.
    """
    command = f"{shlex.quote(pledge)} export --quiet --accept-errors --accept-empty"
    environment = {name: os.environ[name] for name in FORWARDED if name in os.environ}
    # A process notices only duplicates in its own lines, so `distinct` removes all of them. It also spreads the accounts
    # evenly over the partitions.
    lines = accounts.distinct(partitions)
    return lines.pipe(command, env=environment, checkCode=True)


if __name__ == "__main__":
    accounts, results, partitions = sys.argv[1:4]
    pledge = sys.argv[4] if len(sys.argv) > 4 else "pledge"
    spark = SparkSession.builder.appName("pledge-export").getOrCreate()
    lines = spark.sparkContext.textFile(accounts)
    # The results are saved before any other action, because each action on the output of a pipe runs the pipe again.
    export(lines, pledge, int(partitions)).saveAsTextFile(results)
    spark.stop()
