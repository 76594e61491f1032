import { exposeHost } from "../support/hosts/expose-host.ts";
import { zulipJsCases } from "./zulip-js-cases.ts";

zulipJsCases(exposeHost);
