import { exposeHost } from "../support/hosts/expose-host.ts";
import { isLocal } from "../support/world.ts";
import { pythonCases } from "./python-cases.ts";

// Larger than a function takes: a host reads the form while it arrives.
pythonCases(exposeHost, isLocal() ? { large_file_bytes: 90_000_000 } : {});
