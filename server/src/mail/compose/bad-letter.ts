/** A letter that cannot be written as a message: a control character in a header, an address or id of no valid form, a line over 998 characters. */
export class BadLetter extends Error {
  override name = 'BadLetter';
}
