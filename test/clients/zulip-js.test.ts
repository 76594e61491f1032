import { front } from "../support/front.ts";
import { zulipJsCases } from "./zulip-js-cases.ts";

zulipJsCases(front);
