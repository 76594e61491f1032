import { describe } from "vitest";
import { isLocal } from "../support/world.ts";
import { hostWithBells } from "./entrance.ts";
import { zulipJsCases } from "./zulip-js-cases.ts";

describe.skipIf(!isLocal())("over the redirects of a fleet with bells (MiniStack has no such integration)", () =>
  zulipJsCases(hostWithBells),
);
