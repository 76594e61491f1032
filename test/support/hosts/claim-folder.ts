// A program that claims a data folder at a given time (UNIX milliseconds), prints whether it succeeded, and holds the claim
// until it is stopped. It is a separate program because a lock belongs to a process.
import { setTimeout as pause } from "node:timers/promises";
import { lockDataFolder } from "../../../infra/local/data-folder.ts";

const [folder = "", claimAtMs = "0"] = process.argv.slice(2);
await pause(Math.max(1, Number(claimAtMs) - Date.now()));
try {
  lockDataFolder(folder);
  console.log("has it");
  process.stdin.resume();
} catch (error) {
  console.log((error as Error).message);
}
