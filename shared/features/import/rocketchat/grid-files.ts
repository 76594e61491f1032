import { limits } from "../../../base/limits.ts";
import { documentAt, documentsOf } from "./bson.ts";

const maxFileBytes = limits.presignedUploadMib * 1024 * 1024;

/**
 * Files that MongoDB itself stores, in chunks that are documents of one collection (https://www.mongodb.com/docs/manual/core/gridfs/).
 * Where the chunks are is kept, for each some numbers; what they contain is not.
 */
export class GridFiles {
  readonly #folder: string;
  readonly #name: string;
  readonly #chunks = new Map<string, { order: number; position: number; bytes: number }[]>();

  /** `name` is the file of the chunks, which may be missing. */
  constructor(folder: string, name: string, files: readonly string[]) {
    this.#folder = folder;
    this.#name = name;
    if (!files.includes(name)) return;
    for (const { value, position } of documentsOf(folder, name)) {
      const { files_id: id, n: order, data } = value;
      if (typeof id !== "string" || typeof order !== "number" || !(data instanceof Uint8Array)) continue;
      const known = this.#chunks.get(id) ?? [];
      this.#chunks.set(id, known);
      known.push({ order, position, bytes: data.length });
    }
  }

  /** Whether a file is there as a whole, and not too large. */
  has(id: string): boolean {
    const chunks = this.#inOrder(id);
    const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
    return chunks.length > 0 && bytes <= maxFileBytes && chunks.every(({ order }, index) => order === index);
  }

  read(id: string): Buffer | undefined {
    if (!this.has(id)) return undefined;
    return Buffer.concat(
      this.#inOrder(id).map(({ position }) => documentAt(this.#folder, this.#name, position).data as Uint8Array),
    );
  }

  #inOrder = (id: string) => (this.#chunks.get(id) ?? []).toSorted((a, b) => a.order - b.order);
}
