"""The conformance suite as asked by PyPI's clickhouse-connect. Needs CONFORMANCE_URL and CONFORMANCE_SECRET."""

import os
import threading
import time
import unittest
from urllib.parse import urlsplit

import clickhouse_connect
from clickhouse_connect.driver.exceptions import DatabaseError

ADDRESS = urlsplit(os.environ["CONFORMANCE_URL"])
SECRET = os.environ["CONFORMANCE_SECRET"]


def connect(**options):
    return clickhouse_connect.get_client(
        host=ADDRESS.hostname, port=ADDRESS.port, password=options.pop("password", SECRET), database="vigie", **options
    )


class Conformance(unittest.TestCase):
    def setUp(self):
        self.client = connect()
        self.addCleanup(self.client.close)
        self.client.command("DROP TABLE IF EXISTS python_ads")
        self.client.command(
            "CREATE TABLE python_ads (id UInt64, title String, price Nullable(Float64), kind LowCardinality(String))"
            " ENGINE = MergeTree ORDER BY id"
        )

    def code_of(self, action):
        with self.assertRaises(DatabaseError) as raised:
            action()
        return raised.exception.code

    def test_stores_and_reads_native_blocks_in_every_compression(self):
        rows = [[number, f"shoe\t'{number}'", 9.5 if number % 2 else None, "ads"] for number in range(20000)]
        for compression in (False, True, "lz4", "zstd", "gzip", "br"):
            with self.subTest(compression=compression):
                client = connect(compress=compression)
                self.client.command("TRUNCATE TABLE python_ads")
                summary = client.insert("python_ads", rows, column_names=["id", "title", "price", "kind"])
                self.assertEqual(summary.written_rows, len(rows))
                found = client.query("SELECT * FROM python_ads ORDER BY id")
                self.assertEqual([list(row) for row in found.result_rows], rows)
                client.close()

    def test_streams_a_million_rows(self):
        count = total = 0
        with self.client.query_row_block_stream("SELECT number FROM numbers(1000000)") as blocks:
            for block in blocks:
                count += len(block)
                total += sum(row[0] for row in block)
        self.assertEqual((count, total), (1000000, 499999500000))

    def test_binds_parameters_and_settings(self):
        found = self.client.query(
            "SELECT {text:String}, {list:Array(UInt8)}, toUInt32(getSetting('max_threads'))",
            parameters={"text": "it's\t\\ \n", "list": [1, 2]},
            settings={"max_threads": 3},
        )
        self.assertEqual(found.result_rows, [("it's\t\\ \n", [1, 2], 3)])

    def test_sends_parameters_as_a_form(self):
        client = connect(form_encode_query_params=True)
        found = client.query("SELECT length({text:String})", parameters={"text": "x" * 200000})
        self.assertEqual(found.result_rows, [(200000,)])
        client.close()

    def test_inserts_raw_rows(self):
        self.client.raw_insert("python_ads", ["id", "title"], '{"id":1,"title":"a"}\n{"id":2,"title":"b"}\n', fmt="JSONEachRow")
        self.client.raw_insert("python_ads", ["id", "title"], "3,c\n", fmt="CSV")
        self.assertEqual(self.client.command("SELECT count() FROM python_ads"), 3)
        raw = self.client.raw_query("SELECT id FROM python_ads ORDER BY id", fmt="TSVWithNames")
        self.assertEqual(raw, b"id\n1\n2\n3\n")

    def test_gives_typed_errors(self):
        self.assertEqual(self.code_of(lambda: self.client.query("SELECT * FROM nowhere")), 60)
        self.assertEqual(self.code_of(lambda: self.client.command("SELEC 1")), 62)
        self.assertEqual(self.code_of(lambda: self.client.insert("nowhere", [[1]], column_names=["a"])), 60)
        slow = "SELECT sleepEachRow(0.05) FROM numbers(1000) SETTINGS max_block_size = 1"
        self.assertEqual(self.code_of(lambda: self.client.query(slow, settings={"max_execution_time": 1})), 159)
        greedy = "SELECT groupArray(number) FROM numbers(100000000)"
        self.assertEqual(self.code_of(lambda: self.client.query(greedy, settings={"max_memory_usage": 10000000})), 241)

    def test_fails_a_stream_that_fails_in_the_middle(self):
        def read():
            with self.client.query_row_block_stream("SELECT number, throwIf(number = 900000) FROM numbers(1000000)") as blocks:
                for block in blocks:
                    self.assertTrue(block)

        with self.assertRaises(Exception) as raised:
            read()
        self.assertNotIsInstance(raised.exception, AssertionError)

    def test_keeps_a_session(self):
        client = connect(session_id="python-session")
        client.command("CREATE TEMPORARY TABLE picked (a UInt8)")
        client.insert("picked", [[7]], column_names=["a"])
        self.assertEqual(client.query("SELECT a FROM picked").result_rows, [(7,)])
        client.close()

    def test_cancels_a_query_whose_client_goes_away(self):
        running = "SELECT count() FROM system.processes WHERE query LIKE 'SELECT number FROM numbers(1000000000000)%'"
        watcher = connect()
        self.addCleanup(watcher.close)
        stream = self.client.raw_stream("SELECT number FROM numbers(1000000000000)", fmt="TSV")
        self.assertEqual(stream.read(4), b"0\n1\n")
        self.assertEqual(watcher.command(running), 1)
        stream.close()
        deadline = time.monotonic() + 20
        while watcher.command(running) != 0:
            self.assertLess(time.monotonic(), deadline, "the query runs on")
            time.sleep(0.02)

    def test_serves_threads_beside_each_other(self):
        answers = []

        def ask():
            client = connect()
            answers.append(client.command("SELECT sum(number) FROM numbers(1000000)"))
            client.close()

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, [499999500000] * 8)

    def test_refuses_a_wrong_password(self):
        self.assertEqual(self.code_of(lambda: connect(password="guess")), 516)


if __name__ == "__main__":
    unittest.main()
