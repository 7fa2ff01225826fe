import { isEmail } from '#platform/email-address.ts';
import { Refusal } from '#platform/refusal.ts';
import { LEAD_KEY, MAX_ATTRIBUTES, MAX_ATTRIBUTE_NAME } from '#resources/contacts/index.ts';

/** Which column is what, as a caller says it: names of columns as the header spells them. */
export type Mapping = { email?: string | undefined; attributes?: Readonly<Record<string, string>> | undefined };
export type Columns = { email: { index: number; name: string }; attributes: { index: number; name: string }[]; width: number };

const EMAIL_NAMES = new Set([
  'email',
  'e_mail',
  'email_address',
  'e_mail_address',
  'emailaddress',
  'mail',
  'work_email',
  'business_email',
  'primary_email',
]);

const unreadable = (message: string) => new Refusal('import_unreadable', message, { param: 'file' });

/** `First Name` → `first_name`; letters and digits of every script stay. */
export const snakeCase = (name: string) =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, MAX_ATTRIBUTE_NAME - 5);

/**
 * What the columns are for. Without a mapping the address is found by the name of its column, or by what stands in it (in `records`, the
 * first rows), and all others become attributes. Throws import_unreadable where the file gives no answer, validation_failed where the
 * mapping does not fit the file.
 */
export function columnsOf(header: readonly string[], records: readonly (readonly string[])[], mapping: Mapping): Columns {
  const names = header.map((name) => name.trim());
  if (names.some(isEmail)) throw unreadable('The first row holds an address: it must hold the names of the columns.');
  const index = mapping.email === undefined ? emailIndex(names, records) : indexOf(names, mapping.email, 'mapping.email');
  const count = mapping.attributes ? Object.keys(mapping.attributes).length : names.length - 1;
  if (count > MAX_ATTRIBUTES) throw unreadable(`A contact has at most ${MAX_ATTRIBUTES} attributes; this file would give it ${count}.`);
  const attributes = mapping.attributes ? mappedAttributes(names, mapping.attributes) : otherAttributes(names, index);
  return { email: { index, name: names[index]! }, attributes, width: names.length };
}

function emailIndex(names: readonly string[], records: readonly (readonly string[])[]): number {
  const named = names.findIndex((name) => EMAIL_NAMES.has(snakeCase(name)));
  if (named >= 0) return named;
  let best = -1;
  let most = 0;
  for (const index of names.keys()) {
    const cells = records.map((cells) => (cells[index] ?? '').trim()).filter((cell) => cell !== '');
    const addresses = cells.filter(isEmail).length;
    if (addresses > most && addresses * 2 >= cells.length) [best, most] = [index, addresses];
  }
  if (best < 0) throw unreadable('No column holds e-mail addresses.');
  return best;
}

function indexOf(names: readonly string[], wanted: string, param: string): number {
  const name = wanted.trim();
  const exact = names.indexOf(name);
  const index = exact >= 0 ? exact : names.findIndex((one) => one.toLowerCase() === name.toLowerCase());
  if (index < 0) throw new Refusal('validation_failed', `The file has no column ${JSON.stringify(wanted)}.`, { param });
  return index;
}

const mappedAttributes = (names: readonly string[], wanted: Readonly<Record<string, string>>) =>
  Object.entries(wanted).map(([name, column]) => ({ index: indexOf(names, column, `mapping.attributes.${name}`), name }));

/** Every column but the address, each under a name of its own. */
function otherAttributes(names: readonly string[], email: number): Columns['attributes'] {
  const taken = new Set<string>();
  return [...names.entries()]
    .filter(([index]) => index !== email)
    .map(([index, column]) => {
      const plain = snakeCase(column) || `column_${index + 1}`;
      let name = plain;
      for (let copy = 2; taken.has(name); copy++) name = `${plain}_${copy}`;
      taken.add(name);
      if (name !== LEAD_KEY) return { index, name };
      throw new Refusal('validation_failed', `The lead status cannot be imported: map column ${JSON.stringify(column)} to another name.`, {
        param: 'mapping',
      });
    });
}
