import { InvocationValue } from "../../invocation.ts";

/** How current a read must be. The default is described in `table.ts`. */
export interface ReadOptions {
  /** Strongly consistent: twice the read units, but sees every acknowledged write. */
  consistent?: boolean;
  /** Plainly eventually consistent, usually up to a second behind: recent writes are not looked up in the log. */
  mayLag?: boolean;
}

const consistentScope = new InvocationValue<true>("consistent reads");

/** Makes every read within `work` strongly consistent, whatever its options say. Reads of indexes cannot be. */
export const withConsistentReads = <T>(work: () => Promise<T>): Promise<T> => consistentScope.run(true, work);

export const mustBeConsistent = ({ consistent = false }: ReadOptions) => consistent || consistentScope.get() === true;
