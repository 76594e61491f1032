// A program of its own, so that a test can kill it: serves the emulators and says where.
import { startAwsEmulator } from "../../../infra/local/aws/server.ts";

const [dataFolder = "", accessKeyId = "", secretAccessKey = ""] = process.argv.slice(2);
const { url } = await startAwsEmulator({ dataFolder, accessKeyId, secretAccessKey });
console.log(url);
