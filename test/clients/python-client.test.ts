import { exposeHost } from "../support/hosts/expose-host.ts";
import { pythonCases } from "./python-cases.ts";

pythonCases(exposeHost);
