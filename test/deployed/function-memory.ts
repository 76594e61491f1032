import { readdirSync, readFileSync } from "node:fs";

/**
 * The peak memory in MB of each function process of an emulated fleet, including idle ones, for functions whose names
 * match. `endpoint` is the emulator's URL.
 */
export function memoryOfFunctions(endpoint: string | undefined, namePattern: RegExp): number[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      try {
        const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
        const variable = (name: string) =>
          variables.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
        const name = variable("AWS_LAMBDA_FUNCTION_NAME") ?? "";
        const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
        if (variable("AWS_ENDPOINT_URL") !== endpoint || !namePattern.test(name) || kilobytes === undefined) return [];
        return [Number(kilobytes) / 1024];
      } catch {
        // The process has ended in the meantime.
        return [];
      }
    });
}
