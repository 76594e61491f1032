import { describe } from "vitest";
import { isLocal } from "../support/world.ts";
import { hostWithWakeUpQueues } from "./host-for-clients.ts";
import { zulipJsCases } from "./zulip-js-cases.ts";

describe.skipIf(!isLocal())(
  "over the redirects of a fleet with wake-up queues (MiniStack has no such integration)",
  () => zulipJsCases(hostWithWakeUpQueues),
);
