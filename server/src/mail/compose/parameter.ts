// Parameters of Content-Disposition, in the forms of RFC 2045 section 5.1 and RFC 2231.
import { withoutControls } from './header.ts';

/** What fits a folded line of 76 characters: space, name, `=""` and a semicolon leave this much. */
const QUOTED_LIMIT = 60;
const SECTION_LIMIT = 56;

/**
 * The tokens of `; name=value` for a header field: a quoted-string where the value is short printable ASCII, else percent-encoded UTF-8 (RFC 2231
 * section 4), in numbered sections when long (section 3). No character is split between sections. BadLetter for a control character.
 */
export function parameter(name: string, value: string): string[] {
  withoutControls(value, name);
  const quoted = value.replace(/["\\]/g, '\\$&');
  if (/^[ -~]*$/.test(value) && !value.includes('=?') && quoted.length <= QUOTED_LIMIT) return [` ${name}="${quoted}"`];
  const sections = ["UTF-8''"];
  for (const character of value.toWellFormed()) {
    const form = percentForm(character);
    const last = sections.length - 1;
    const section = sections[last] as string;
    if (section.length + form.length > SECTION_LIMIT) sections.push(form);
    else sections[last] = section + form;
  }
  if (sections.length === 1) return [` ${name}*=${sections[0]}`];
  return sections.map((section, i) => ` ${name}*${i}*=${section}${i === sections.length - 1 ? '' : ';'}`);
}

/** RFC 2231 attribute-char as itself, all else as `%XX` of its UTF-8 bytes. */
function percentForm(character: string): string {
  if (/^[A-Za-z0-9!#$&+\-.^_`{|}~]$/.test(character)) return character;
  let out = '';
  for (const byte of Buffer.from(character)) out += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return out;
}
