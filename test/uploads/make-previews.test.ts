import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { detectContent } from "../../shared/blobs/content-types.ts";
import { scaleDown } from "../../shared/pictures/scaling.ts";
import { aPng } from "../support/files/pictures.ts";
import { localTest } from "../support/world.ts";

const how = { width: 840, height: 560, maxPixels: 40_000_000 };

localTest("a deployed function has its process for itself")(
  "other requests are served while a large picture is scaled down",
  async () => {
    const large = aPng(6000, 4000);
    let turns = 0;
    let done = false;
    const turn = () => {
      turns++;
      if (!done) setTimeout(turn, 1);
    };

    turn();
    const scaled = await scaleDown(large, how);
    done = true;

    expect(detectContent(scaled!.still, "")).toEqual({ contentType: "image/webp", width: 840, height: 560 });
    // If the preview were created in this thread, the event loop would be blocked until it is done.
    expect(turns).toBeGreaterThan(20);
  },
);

localTest("a deployed function's process is ended for it")(
  "a process that has scaled pictures ends by itself",
  async () => {
    const scaling = resolve(import.meta.dirname, "../../shared/pictures/scaling.ts");
    const pictures = resolve(import.meta.dirname, "../support/files/pictures.ts");
    const program = `
    const { scaleDown } = await import(${JSON.stringify(scaling)});
    const { aPng } = await import(${JSON.stringify(pictures)});
    const [one, other] = await Promise.all([scaleDown(aPng(90, 60), ${JSON.stringify(how)}), scaleDown(Buffer.from("none"), ${JSON.stringify(how)})]);
    console.log(one.still.length > 0, other);`;

    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
      timeout: 30_000,
    });

    expect(stdout).toBe("true undefined\n");
  },
);
