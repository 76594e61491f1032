// A program that a test can kill: serves the emulators and prints their URL.
import { startAwsEmulator } from "../../../infra/local/aws/server.ts";

const [dataFolder = "", accessKeyId = "", secretAccessKey = ""] = process.argv.slice(2);
const { url } = await startAwsEmulator({ dataFolder, accessKeyId, secretAccessKey });
console.log(url);
