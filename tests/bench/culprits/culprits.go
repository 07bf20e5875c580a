// An open program with a slowdown of known place and mechanism in it; see bench_culprits.
//
// culprits PROGRAM MECHANISM before|after SECONDS [PROFILE]
package main

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/pprof"
	"sort"
	"strconv"
	"sync"
	"time"
)

const calls = 8

var (
	sink   int
	table  []int32
	kept   []byte
	nodes  []*node
	first  = make([]byte, 1<<20)
	second = make([]byte, 1<<20)
	ready  *regexp.Regexp
)

type node struct {
	next *node
	some [4]int
}

func encode() {
	rows := make([]map[string]interface{}, 1200)
	for i := range rows {
		rows[i] = map[string]interface{}{"number": i, "name": "a \"name\"", "list": []int{i, i + 1}}
	}
	text, _ := json.Marshal(rows)
	var back interface{}
	_ = json.Unmarshal(text, &back)
}

func deflate() {
	text := make([]byte, 200000)
	for i := range text {
		text[i] = "etaoin shrdlu"[(i*i/7+i%11)%13]
	}
	var out bytes.Buffer
	writer, _ := flate.NewWriter(&out, 6)
	_, _ = writer.Write(text)
	_ = writer.Close()
}

func checksum(seconds float64, slow bool) {
	n := int(seconds * 7e8)
	if !slow {
		n /= 10
	}
	hash := 1
	for i := 0; i < n; i++ {
		hash = hash*31 + hash>>7 + i
	}
	sink = hash
}

func gather(seconds float64, slow bool) {
	if table == nil {
		table = make([]int32, 1<<24)
		for i := range table {
			table[i] = int32(i)
		}
	}
	step, at := 1, 0
	if slow {
		step = 1048583
	}
	for i := 0; i < int(seconds*8e7); i++ {
		at = (at + step) & (len(table) - 1)
		sink += int(table[at])
	}
}

func publish(seconds float64, slow bool) {
	var lock sync.Mutex
	lock.Lock()
	if !slow {
		seconds /= 50
	}
	time.AfterFunc(time.Duration(seconds*1e9), lock.Unlock)
	lock.Lock()
}

func assemble(seconds float64, slow bool) {
	if kept == nil {
		kept = make([]byte, 16<<20)
	}
	for i := 0; i < int(seconds*150)+1; i++ {
		buffer := kept
		if slow {
			buffer = make([]byte, 16<<20)
		}
		for at := 0; at < len(buffer); at += 4096 {
			buffer[at] = byte(i)
		}
		sink += int(buffer[5])
	}
}

func journal(seconds float64, slow bool) {
	file, err := os.CreateTemp("", "journal")
	if err != nil {
		panic(err)
	}
	defer os.Remove(file.Name())
	for i := 0; i < int(seconds*600)+1; i++ {
		_, _ = file.Write(first[:4096])
		if slow {
			_ = file.Sync()
		}
	}
	_ = file.Close()
}

func settle(seconds float64, slow bool) {
	if !slow {
		seconds /= 50
	}
	time.Sleep(time.Duration(seconds * 1e9))
}

func churn(seconds float64, slow bool) {
	if nodes == nil {
		nodes = make([]*node, 500000)
		for i := range nodes {
			nodes[i] = &node{}
		}
	}
	for i := 0; i < int(seconds*6e6); i++ {
		at := i % len(nodes)
		if slow {
			nodes[at] = &node{next: nodes[(i*7)%len(nodes)]}
			nodes[at].next.next = nil
		}
		nodes[at].some[0] = i
	}
}

func descend(n int) int {
	if n < 2 {
		return n
	}
	return descend(n-1) + descend(n-2)
}

func visit(seconds float64, slow bool) {
	n := 22
	for left := seconds * 7000; left > 1; left /= 1.618 {
		n++
	}
	if !slow {
		n -= 5
	}
	sink = descend(n)
}

func scale(seconds float64, slow bool) {
	for t := 0; t < int(seconds*1500)+1; t++ {
		if !slow {
			if bytes.Equal(first, second) {
				sink++
			}
			continue
		}
		for i := range first {
			if first[i] == second[i] {
				sink++
			}
		}
	}
}

func arrange(seconds float64, slow bool) {
	items := make([]int, 4000)
	for t := 0; t < int(seconds*350)+1; t++ {
		for i := range items {
			items[i] = (i * 7919) % 10007
		}
		if !slow {
			sort.Ints(items)
			continue
		}
		for i := 1; i < len(items); i++ {
			item, j := items[i], i
			for ; j > 0 && items[j-1] > item; j-- {
				items[j] = items[j-1]
			}
			items[j] = item
		}
	}
}

func prepare(seconds float64, slow bool) {
	for t := 0; t < int(seconds*60000)+1; t++ {
		if ready == nil || slow {
			ready = regexp.MustCompile(`^a+(b|c)*d{2,3}$`)
		}
	}
}

func nothing(float64, bool) {}

func main() {
	mechanism, slow := os.Args[2], os.Args[3] == "after"
	seconds, _ := strconv.ParseFloat(os.Args[4], 64)
	run := map[string]func(float64, bool){
		"more_work": checksum, "worse_locality": gather, "lock": publish, "allocation": assemble,
		"fsync": journal, "sleep": settle, "garbage": churn, "recursion": visit, "scalar": scale,
		"slower_library": arrange, "warm_up": prepare, "neighbour": nothing,
	}[mechanism]
	program := map[string]func(){"json": encode, "flate": deflate}[os.Args[1]]
	if run == nil || program == nil {
		fmt.Fprintln(os.Stderr, "usage: culprits PROGRAM MECHANISM before|after SECONDS [PROFILE]")
		os.Exit(2)
	}
	if len(os.Args) > 5 {
		file, _ := os.Create(os.Args[5])
		_ = pprof.StartCPUProfile(file)
		defer pprof.StopCPUProfile()
	}
	for t := 0; t < int(seconds*50)+1; t++ {
		program()
	}
	for t := 0; t < calls; t++ {
		run(seconds/calls, slow)
	}
	runtime.KeepAlive(nodes)
}
