declare module "wink-porter2-stemmer" {
  /** The stem of an English word in lower case, by Snowball's English algorithm (Porter 2). */
  function stem(word: string): string;
  export = stem;
}
