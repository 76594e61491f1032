import { copyFileSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A patch to MiniStack 1.5.33, which replaces some of its lines. */
interface Patch {
  file: string;
  original: string;
  replacement: string;
}

/** Increased with each change of the patches: an environment with other patches is created again. */
export const patchesVersion = 7;

/** Begins the names of files in MiniStack's temporary folder: operations on the stack of the name that follows stop until it is gone. */
export const holdPrefix = "hold-";

/** Our own module of MiniStack, which the patches call: it imports HTTP APIs from OpenAPI documents. */
const importedApi = { file: "imported_api.py", copy: "services/skein_imported_api.py" };

const patches: readonly Patch[] = [
  // The property Body of an HTTP API would be ignored.
  {
    file: "services/cloudformation/provisioners.py",
    original: `    _apigw_v2._deployments[api_id] = {}
    return api_id, {"ApiId": api_id, "ApiEndpoint": api["apiEndpoint"]}`,
    replacement: `    _apigw_v2._deployments[api_id] = {}
    if props.get("Body"):
        from ministack.services import skein_imported_api
        skein_imported_api.import_body(api_id, props["Body"])
    return api_id, {"ApiId": api_id, "ApiEndpoint": api["apiEndpoint"]}`,
  },
  {
    file: "services/cloudformation/provisioners.py",
    original: `        _apigw_v2._delete_cors_configuration(physical_id)
    _reconcile_tag_map`,
    replacement: `        _apigw_v2._delete_cors_configuration(physical_id)
    if new_props.get("Body"):
        from ministack.services import skein_imported_api
        skein_imported_api.import_body(physical_id, new_props["Body"])
    _reconcile_tag_map`,
  },
  // When MiniStack updates a nested stack, it forgets the attributes of unchanged resources, so that other resources cannot
  // refer to them and every upgrade of our stacks would fail. Its update of a stack that is not nested keeps them.
  {
    file: "services/cloudformation/provisioners.py",
    original: `resource_type, prev.get("PhysicalResourceId", child_logical_id),
                        old_tagged, new_tagged, child_name, child_logical_id,`,
    replacement: `resource_type, prev.get("PhysicalResourceId", child_logical_id),
                        old_tagged, new_tagged, child_name, child_logical_id, prev.get("Attributes"),`,
  },
  // As on AWS, a stack on which an operation is at work cannot be changed.
  {
    file: "services/cloudformation/changesets.py",
    original: `                          f"Stack [{stack_name}] does not exist")
        stack_id = stack["StackId"]
`,
    replacement: `                          f"Stack [{stack_name}] does not exist")
        stack_id = stack["StackId"]
        if stack["StackStatus"].endswith("_IN_PROGRESS"):
            return _error("ValidationError",
                          f"Stack:{stack_id} is in {stack['StackStatus']} state and can not be updated.")
`,
  },
  // Operations on stacks last seconds, too short to interrupt them reliably: while the file exists, they stop half-way.
  {
    file: "services/cloudformation/stacks.py",
    original: "    for logical_id in ordered:\n        if is_update and stack.pop",
    replacement: `    for logical_id in ordered:
        if ordered.index(logical_id) == len(ordered) // 2:
            import os
            while os.path.exists(os.path.join(os.environ["TMPDIR"], "${holdPrefix}" + stack_name)):
                await asyncio.sleep(0.1)
        if is_update and stack.pop`,
  },
  // Fifty concurrent requests to one function would start fifty processes, each at the cost of about ten requests, and most
  // would serve one request. From the fifth process on, a request waits up to three seconds for a running process.
  {
    file: "core/lambda_runtime.py",
    original: `    with _lock:
        entries = _workers.setdefault(key, [])
        for worker in entries:
            if not worker.in_use:`,
    replacement: `    patience = time.monotonic() + 3
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
  // The first process of a function would never end; with two emulators on one machine it must end like the others.
  {
    file: "core/lambda_runtime.py",
    original: "if worker.in_use or idle < ttl or (i == 0 and not snapstart_version):",
    replacement: "if worker.in_use or idle < ttl:",
  },
  // Each reply waits until its function has logged nothing for this long. Our functions log before they reply.
  {
    file: "core/lambda_runtime.py",
    original: "idle_confirm: float = 0.005,",
    replacement: "idle_confirm: float = 0.001,",
  },
  // A query would parse its condition again for each item.
  {
    file: "services/dynamodb.py",
    original: "import csv\nimport gzip\n",
    replacement: "import csv\nimport functools\nimport gzip\n",
  },
  ...["def _tokenize(expr):\n", "def _condition_syntax_error(expr: str, slot: str) -> str | None:\n"].map(
    (original): Patch => ({
      file: "services/dynamodb.py",
      original,
      replacement: `@functools.lru_cache(maxsize=1024)\n${original}`,
    }),
  ),
  // A restored table would not say what it was restored from.
  {
    file: "services/dynamodb.py",
    original: `    _tables[target]["items"] = defaultdict(dict, copy.deepcopy(dict(src.get("items", {}))))
    _items_replaced(_tables[target])
`,
    replacement: `    _tables[target]["items"] = defaultdict(dict, copy.deepcopy(dict(src.get("items", {}))))
    _items_replaced(_tables[target])
    _tables[target]["RestoreSummary"] = {
        "SourceTableArn": src.get("TableArn", ""),
        "RestoreDateTime": data.get("RestoreDateTime") or int(time.time()),
        "RestoreInProgress": False,
    }
`,
  },
  {
    file: "services/dynamodb.py",
    original: `    desc["DeletionProtectionEnabled"] = t.get("DeletionProtectionEnabled", False)
    if _replica_group`,
    replacement: `    desc["DeletionProtectionEnabled"] = t.get("DeletionProtectionEnabled", False)
    if t.get("RestoreSummary"):
        desc["RestoreSummary"] = t["RestoreSummary"]
    if _replica_group`,
  },
  // Schedules would be checked every ten seconds, for which many tests would wait.
  {
    file: "services/scheduler.py",
    original: "_SCHEDULE_TICK_INTERVAL = 10 ",
    replacement: "_SCHEDULE_TICK_INTERVAL = 1 ",
  },
];

/** Patches the copy of MiniStack in our virtual environment; refuses an unknown version of its source. */
export function applyPatches(environmentFolder: string): void {
  const [folder = ""] = globSync("lib/*/site-packages/ministack", { cwd: environmentFolder });
  copyFileSync(join(import.meta.dirname, importedApi.file), join(environmentFolder, folder, importedApi.copy));
  for (const { file, original, replacement } of patches) {
    const path = join(environmentFolder, folder, file);
    const parts = readFileSync(path, "utf8").split(original);
    if (parts.length !== 2) throw new Error(`MiniStack's ${file} has changed since its patch was written`);
    writeFileSync(path, parts.join(replacement));
  }
}
