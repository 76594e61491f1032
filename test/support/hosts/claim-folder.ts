// A program of its own, since a lock is a process's: claims the data folder at a given moment, says whether it has it, and keeps it.
import { setTimeout as pause } from "node:timers/promises";
import { claimDataFolder } from "../../../infra/local/data-folder.ts";

const [folder = "", moment = "0"] = process.argv.slice(2);
await pause(Math.max(1, Number(moment) - Date.now()));
try {
  claimDataFolder(folder);
  console.log("has it");
  process.stdin.resume();
} catch (error) {
  console.log((error as Error).message);
}
