import { exposeHost } from "../support/hosts/expose-host.ts";
import { pythonCases } from "./python-cases.ts";

// Larger than a function takes: the host reads the form while it arrives.
pythonCases(exposeHost, { large_file_bytes: 90_000_000 });
