/** Words that occur in most messages: indexing them would cost much, and searching for them would find too much. */
const stopWords = [
  "a an and are as at be but by do for from had has have he her his i if in is it its me my no not of on or our",
  "she so that the their them then there they this to us was we were what when which who will with you your",
].flatMap((line) => line.split(" "));
const set = new Set(stopWords);

export const isStopWord = (word: string): boolean => set.has(word);
/** Whether a stop word begins like this: the index does not have all words that do. */
export const beginsStopWord = (beginning: string): boolean => stopWords.some((word) => word.startsWith(beginning));
