import { front } from "../support/hosts/public-address.ts";
import { zulipJsCases } from "./zulip-js-cases.ts";

zulipJsCases(front);
