// A program, because locks belong to processes: claims the data folder at a given moment, prints the result, and keeps it.
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
