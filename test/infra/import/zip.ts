import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";

/** A zip by hand (APPNOTE.TXT), because tools refuse to write hostile ones. `stated`: the size that it claims. */
export function aZip(entries: { name: string | Buffer; content: Buffer; stated?: number }[]): string {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, stated = content.length } of entries) {
    const [fileName, packed] = [Buffer.from(name as string), content.length === 0 ? content : deflateRawSync(content)];
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(content.length === 0 ? 0 : 8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(stated, 18);
    common.writeUInt16LE(fileName.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, fileName, packed]);
    const entry = Buffer.alloc(46);
    entry.write("PK\x01\x02", "latin1");
    entry.writeUInt16LE(20, 4);
    common.copy(entry, 6);
    entry.writeUInt32LE(offset, 42);
    directory.push(Buffer.concat([entry, fileName]));
    files.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  const path = join(mkdtempSync(join(tmpdir(), "skein-zip-")), "archive.zip");
  writeFileSync(path, Buffer.concat([...files, central, end]));
  return path;
}
