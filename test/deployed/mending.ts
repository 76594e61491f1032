import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Some lines of MiniStack (1.5.33), as they are and as they should be. */
interface Mend {
  file: string;
  is: string;
  shouldBe: string;
}

/** Increased with each change of what follows: an environment that was mended otherwise is made anew. */
export const mending = 3;

const mends: readonly Mend[] = [
  // An update of a nested stack leaves an unchanged resource as it is, but forgets the attributes that it had, so that others
  // cannot refer to them and every upgrade of our stacks would fail. An update of a stack that is not nested hands them on.
  {
    file: "services/cloudformation/provisioners.py",
    is: `resource_type, prev.get("PhysicalResourceId", child_logical_id),
                        old_tagged, new_tagged, child_name, child_logical_id,`,
    shouldBe: `resource_type, prev.get("PhysicalResourceId", child_logical_id),
                        old_tagged, new_tagged, child_name, child_logical_id, prev.get("Attributes"),`,
  },
  // Fifty requests to one function at once would start fifty processes, most of which answer once; each costs what some ten
  // requests cost. From the fifth on a request waits for one of the processes that are there, for three seconds at most.
  {
    file: "core/lambda_runtime.py",
    is: `    with _lock:
        entries = _workers.setdefault(key, [])
        for worker in entries:
            if not worker.in_use:`,
    shouldBe: `    patience = time.monotonic() + 3
    while time.monotonic() < patience:
        with _lock:
            entries = _workers.get(key, [])
            if len(entries) < 4 or any(not worker.in_use for worker in entries):
                break
        time.sleep(0.005)
    with _lock:
        entries = _workers.setdefault(key, [])
        for worker in entries:
            if not worker.in_use:`,
  },
  // The first process of a function stays for ever; with two emulators on one machine it goes like any other.
  {
    file: "core/lambda_runtime.py",
    is: "if worker.in_use or idle < ttl or (i == 0 and not snapstart_version):",
    shouldBe: "if worker.in_use or idle < ttl:",
  },
  // Each answer waits until its function has logged nothing for this long. Ours log before they answer.
  {
    file: "core/lambda_runtime.py",
    is: "idle_confirm: float = 0.005,",
    shouldBe: "idle_confirm: float = 0.001,",
  },
  // A query parses its condition again for each item that it looks at.
  {
    file: "services/dynamodb.py",
    is: "import csv\nimport gzip\n",
    shouldBe: "import csv\nimport functools\nimport gzip\n",
  },
  ...["def _tokenize(expr):\n", "def _condition_syntax_error(expr: str, slot: str) -> str | None:\n"].map(
    (is): Mend => ({ file: "services/dynamodb.py", is, shouldBe: `@functools.lru_cache(maxsize=1024)\n${is}` }),
  ),
  // Schedules are looked at every ten seconds, for which many tests would wait.
  {
    file: "services/scheduler.py",
    is: "_SCHEDULE_TICK_INTERVAL = 10 ",
    shouldBe: "_SCHEDULE_TICK_INTERVAL = 1 ",
  },
];

/** Mends the copy of MiniStack in a virtual environment of our own; refuses one that is not as it was when this was written. */
export function mend(environmentFolder: string): void {
  for (const { file, is, shouldBe } of mends) {
    const [found] = globSync(`lib/*/site-packages/ministack/${file}`, { cwd: environmentFolder });
    const path = join(environmentFolder, found ?? file);
    const parts = readFileSync(path, "utf8").split(is);
    if (parts.length !== 2) throw new Error(`MiniStack's ${file} is not as it was when its mending was written`);
    writeFileSync(path, parts.join(shouldBe));
  }
}
