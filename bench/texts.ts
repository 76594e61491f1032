/** Ordinary words. */
export const words =
  `in peace there's nothing so becomes a man as modest stillness and humility but when the blast of war blows in our ears then
imitate action tiger stiffen sinews summon up blood disguise fair nature with hard favoured rage lend eye terrible aspect let it pry
through portage head like brass cannon brow o'erwhelm fearfully doth galled rock overhang jutty his confounded base swilled wild wasteful
ocean now set teeth stretch nostril wide hold hard breath bend every spirit to full height on you noblest English whose is fet from
fathers proof that so many Alexanders have these parts morn till even fought sheathed their swords for lack argument dishonour not your
mothers attest those whom called did beget be copy grosser teach them how good yeomen limbs were made show us here mettle pasture swear
worth breeding which I doubt none mean hath noble lustre eyes see stand greyhounds slips straining upon start game's afoot follow charge`.split(
    /\s+/,
  );

/** A text of 300 characters, different for each number, so that it compresses no better than real messages. */
export function variedText(index: number): string {
  let text = "Once more unto the breach,";
  // Pseudo-random numbers, the same in each run.
  for (let state = index * 2_654_435_761 + 12_345; text.length < 300; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += ` ${words[(state >>> 8) % words.length]}`;
  }
  return text.slice(0, 300);
}
