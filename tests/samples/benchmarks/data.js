window.BENCHMARK_DATA = {
  "lastUpdate": 1700000900000,
  "repoUrl": "https://example.org/sums",
  "entries": {
    "Go Benchmark": [
      {
        "commit": {"id": "aaaaaaaaaaaaaaaa1", "message": "first", "timestamp": "2023-11-14T22:10:00Z"},
        "date": 1700000000000, "tool": "go",
        "benches": [{"name": "BenchmarkSum", "value": 402.1, "unit": "ns/op", "extra": "8 procs"}]
      },
      {
        "commit": {"id": "bbbbbbbbbbbbbbbb2", "message": "second", "timestamp": "2023-11-14T22:20:00Z"},
        "date": 1700000600000, "tool": "go",
        "benches": [{"name": "BenchmarkSum", "value": 455.0, "unit": "ns/op", "extra": "8 procs"}]
      }
    ],
    "Scores": [
      {
        "commit": {"id": "aaaaaaaaaaaaaaaa1", "message": "first", "timestamp": "2023-11-14T22:10:00Z"},
        "date": 1700000000000, "tool": "customBiggerIsBetter",
        "benches": [{"name": "score", "value": 50, "unit": "points", "range": "± 5"}]
      }
    ]
  }
}
