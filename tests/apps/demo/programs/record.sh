#!/bin/sh
# Makes the recordings of `pwh demo` anew; the date in apps/demo/entries.py is then to be renewed.
#
# Needs perf, valgrind, gcc, binutils, and a Python with pwh and its extra dask.
set -eu
cd "$(dirname "$0")/../../../.."
python=${PYTHON:-python3}
programs=tests/apps/demo/programs
to=apps/demo/recordings

for version in 1.0 1.1 1.2 1.3 1.4 1.5; do
    perf stat -x, -e duration_time,task-clock,page-faults,context-switches,cycles,instructions \
        -o $to/heat-$version.perf.csv \
        "$python" $programs/heat.py $version $to/heat-$version.pstats
done

"$python" -m tests.apps.demo.programs.heat_processes > $to/heat_scaling.jsonl
"$python" -m tests.apps.demo.programs.heat_tasks $to/heat_tasks
"$python" -m tests.apps.demo.programs.generate_history $to/history

program=$(mktemp)
gcc -O2 -fno-inline -pthread -o "$program" $programs/heat.c
valgrind -q --tool=exp-bbv --interval-size=100000 \
    --bb-out-file=$to/heat.bb --pc-out-file=$to/heat.pc "$program"
objdump -d "$program" |
    "$python" $programs/blocks.py sweep change write_number save work main > $to/heat_blocks.csv
rm "$program"
chmod -R u=rwX,go=rX $to
