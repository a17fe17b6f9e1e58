import Foundation
import PledgeCoding
import PledgeFiles
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("Tables of the results", .serialized)
final class TableFilesTests: FolderSuite {
    private let header = "service,account,attribute,day,value\r\n"

    /// Returns the rows that lines of results have in a table.
    private func rows(_ table: CSVTable, of lines: String...) throws -> [String] {
        var rows = TableRows()
        for line in lines {
            rows.beginLine()
            try rows.add(JSONTape(Data(line.utf8)))
        }
        return String(decoding: rows.take(table), as: UTF8.self).components(separatedBy: "\r\n").dropFirst().dropLast()
    }

    @Test("Numbers have the digits of the line, and only MyDataHelps sends them as text")
    func values() throws {
        func values(_ service: String) -> String {
            let items = ["5", "5.0", "1e300", "\"-5\"", "\"=5\"", "\"-5 or so\"", "{\"a\":1}"].map {
                #"{"attribute":"a","day":"2026-11-20","value":\#($0)}"#
            }
            return #"{"service":"\#(service)","account":"1","values":[\#(items.joined(separator: ","))]}"#
        }
        func cells(_ service: String) throws -> [Substring?] {
            try rows(.values, of: values(service)).map { row in
                row.split(separator: ",", omittingEmptySubsequences: false).last
            }
        }
        #expect(try cells("exist") == ["5", "5.0", "1e300", "'-5", "'=5", "'-5 or so", ""])
        #expect(try cells("mydatahelps") == ["5", "5.0", "1e300", "-5", "'=5", "'-5 or so", ""])
    }

    @Test("A moment is a day in the participant's time zone, or else in UTC")
    func zones() throws {
        func task(_ zone: String) -> String {
            #"{"service":"mydatahelps","account":"p","participant":{"demographics":{\#(zone)}},"tasks":"#
                + #"[{"survey_name":"s","status":"complete","inserted_date":"2026-11-20T23:30:00.5Z"}]}"#
        }
        #expect(
            try rows(.tasks, of: task(#""time_zone":"Europe/Stockholm""#), task(""))
                == ["mydatahelps,p,s,complete,,2026-11-21", "mydatahelps,p,s,complete,,2026-11-20"])
    }

    @Test("An error has no rows, an average one for each weekday that has a value, and an answer one for each text")
    func lists() throws {
        let average = #"{"attribute":"a","day":"2026-11-15","overall":5.0,"friday":2.5}"#
        let question = #""survey_name":"s","survey_result_id":"1","step_identifier":"t","result_identifier":"r""#
        let answer = #"{\#(question),"answers":["a","b"]}"#
        let error = #"{"service":"exist","account":"y","error":{"kind":"other"}}"#
        #expect(
            try rows(.averages, of: #"{"service":"exist","account":"x","averages":[\#(average)]}"#, error)
                == ["exist,x,a,2026-11-15,overall,5.0", "exist,x,a,2026-11-15,friday,2.5"])
        #expect(
            try rows(.answers, of: #"{"answers":[\#(answer)],"service":"mydatahelps","account":"x"}"#)
                == ["mydatahelps,x,s,1,t,r,,a", "mydatahelps,x,s,1,t,r,,b"])
    }

    @Test("A link in place of a table, and a file of another kind, are left unchanged")
    func planted() throws {
        let place = try OutputPath(folder.path("r.jsonl"))
        try folder.file("victim", holding: "")
        try folder.link("r.values.csv", to: "victim")
        for replacing in [false, true] {
            #expect(throws: (any Error).self) { try TableFiles(beside: place, replacing: replacing) }
        }
        try folder.remove("r.values.csv")
        for text in ["a=1\n", "a=1\n" + String(repeating: "x", count: 5000)] {
            try folder.file("r.tasks.csv", holding: text)
            #expect(throws: UsageError.self) { try TableFiles(beside: place, replacing: true) }
            #expect(folder.text("r.tasks.csv") == text)
        }
        try folder.file("r.tasks.csv", holding: "")
        try folder.file("r.values.csv", holding: header)
        #expect(throws: UsageError.self) { try TableFiles(beside: place, replacing: false) }
    }

    @Test("Tables are replaced as a whole, and left as they were if the disk is full or a line was changed")
    func replaced() throws {
        let disk = SimulatedDisk(seed: 1)
        let results = try disk.location("r.jsonl").open()
        try results.writeAll(
            #"{"service":"exist","account":"x","values":[{"attribute":"a","day":"d","value":1}]}"#.utf8 + [0x0A])
        for expected in ["", header + "exist,x,a,d,1\r\n"] {
            let tables = try TableFiles(beside: disk.location("r.jsonl"), replacing: true)
            disk.faults.room = 60
            #expect(throws: FileError.self) { try tables.write(results) }
            #expect(disk.text("r.values.csv") == expected && disk.names.count == (expected.isEmpty ? 1 : 7))
            disk.faults.room = nil
            try tables.write(results)
            #expect(disk.text("r.values.csv") == header + "exist,x,a,d,1\r\n")
        }
        try results.writeAll(#"{"service":"exist","account":"y","values":[5]}"#.utf8 + [0x0A])
        let tables = try TableFiles(beside: disk.location("r.jsonl"), replacing: true)
        let error = thrown(FileError.self) { try tables.write(results) }
        #expect(error.map { "\($0)".contains("Line 2 of r.jsonl was changed") } == true)
        #expect(disk.text("r.values.csv") == header + "exist,x,a,d,1\r\n" && disk.names.count == 7)
    }
}
