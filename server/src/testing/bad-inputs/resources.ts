import { type Family, alike } from './case.ts';

const NONE = [404, 'resource_missing'] as const;
const NO_EMAILS = ['', 'no', 'a@b@c.de', 'a@b', 'a b@c.de', `${'x'.repeat(310)}@example.com`];

const apiKeys: Family = ({ keys, ids }) => {
  const line = 'POST /v1/api_keys';
  return [
    ...alike(
      'K1',
      [422, 'validation_failed', 'name'],
      ['', 'x'.repeat(121), '   ', 'a\u0007b', 'a\nb', 7, null].map((name) => ({ line, body: { name } })),
    ),
    { id: 'K1', line, body: {}, expect: [422, 'parameter_missing', 'name'] },
    { id: 'K2', line, body: { name: 'x', scope: 'owner' }, expect: [422, 'validation_failed', 'scope'] },
    { id: 'K3', line, body: { name: 'x', scope: 'admin' }, key: keys.write, expect: [403, 'insufficient_scope'] },
    { id: 'K4', line, body: { name: 'x', mode: 'live' }, expect: [403, 'mode_mismatch'] },
    { id: 'K5', line: `POST /v1/api_keys/${ids.key}/rotate?confirm=true`, key: keys.live, expect: NONE },
    { id: 'K6', line: `POST /v1/api_keys/${ids.key}/rotate`, expect: [400, 'confirmation_required'] },
    { id: 'K6', line: `DELETE /v1/api_keys/${ids.key}`, expect: [400, 'confirmation_required'] },
    ...alike(
      'K7',
      [400, 'confirmation_required'],
      ['TRUE', '1', 'yes', 'true%20', ''].map((word) => ({ line: `POST /v1/api_keys/${ids.key}/rotate?confirm=${word}` })),
    ),
    { id: 'K13', line: 'POST /v1/contacts', body: { email: 'r@example.com' }, key: keys.read, expect: [403, 'insufficient_scope'] },
    { id: 'K13', line: `DELETE /v1/contacts/${ids.contact}`, key: keys.read, expect: [403, 'insufficient_scope'] },
  ];
};

const contacts: Family = ({ ids }) => {
  const line = 'POST /v1/contacts';
  const one = `PATCH /v1/contacts/${ids.contact}`;
  const lead = `POST /v1/contacts/${ids.contact}/lead_status`;
  return [
    ...alike(
      'C1',
      [422, 'invalid_email', 'email'],
      NO_EMAILS.slice(1, 5).map((email) => ({ line, body: { email } })),
    ),
    { id: 'C2', line, body: { email: '"a@evil"@good.com' }, expect: [422, 'invalid_email', 'email'] },
    ...alike(
      'C3',
      [422, 'invalid_email', 'email'],
      ['a@b.co\r\nBcc: c@d.ef', 'a@b.co\nx', 'a\t@b.co'].map((email) => ({ line, body: { email } })),
    ),
    { id: 'C8', line: 'POST /v1/contacts/batch', body: { contacts: [] }, expect: [422, 'validation_failed', 'contacts'] },
    {
      id: 'C8',
      line: 'POST /v1/contacts/batch',
      body: { contacts: Array(1001).fill({ email: 'a@example.com' }) },
      expect: [422, 'validation_failed', 'contacts'],
    },
    ...alike(
      'C10',
      [422, 'validation_failed', 'attributes'],
      [[], 'x', 7, { a: 'x'.repeat(500_000) }, Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i]))].map((attributes) => ({
        line,
        body: { email: 'x@example.com', attributes },
      })),
    ),
    ...alike(
      'C13',
      [422, 'unknown_parameter'],
      [{ lead_status: 'interested' }, { email: 'y@example.com' }, { mode: 'live' }, { id: ids.contact }].map((body) => ({ line: one, body })),
    ),
    { id: 'C14', line: one, body: { global_status: 'sleepy' }, expect: [422, 'validation_failed', 'global_status'] },
    { id: 'C14', line: 'GET /v1/contacts?global_status=sleepy', expect: [400, 'invalid_parameter', 'global_status'] },
    { id: 'C15', line: lead, body: { lead_status: null }, expect: [422, 'validation_failed', 'lead_status'] },
    { id: 'C15', line: lead, body: {}, expect: [422, 'parameter_missing', 'lead_status'] },
    {
      id: 'C16',
      line: lead,
      body: { lead_status: 'not_interested', campaign_id: 'cmp_01k3zq6v9efxt8h5m2r7wbnycd' },
      expect: [404, 'resource_missing', 'campaign_id'],
    },
    { id: 'C17', line: `PATCH /v1/contacts/${ids.deletedContact}`, body: { attributes: { a: 1 } }, expect: NONE },
  ];
};

const audiences: Family = ({ ids }) => {
  const line = 'POST /v1/audiences';
  const attach = `POST /v1/audiences/${ids.audience}/contacts`;
  return [
    ...alike(
      'A1',
      [422, 'validation_failed', 'name'],
      ['', null, 'x'.repeat(10_000), '  '].map((name) => ({ line, body: { name } })),
    ),
    { id: 'A2', line: attach, body: { contact_ids: Array(1001).fill(ids.contact) }, expect: [422, 'validation_failed', 'contact_ids'] },
    { id: 'A5', line: `DELETE /v1/audiences/${ids.audience}`, expect: [400, 'confirmation_required'] },
    { id: 'A6', line: `DELETE /v1/audiences/${ids.audience}/contacts/${ids.foreignContact}`, expect: NONE },
  ];
};

const suppressions: Family = ({ keys }) => {
  const line = 'POST /v1/suppressions';
  return [
    ...alike(
      'U1',
      [422, 'invalid_email', 'email'],
      ['no', 'a@b', 'a@b.co\r\nx'].map((email) => ({ line, body: { email } })),
    ),
    {
      id: 'U4',
      line: `${line}/batch`,
      body: { suppressions: Array(1001).fill({ email: 'a@example.com' }) },
      expect: [422, 'validation_failed', 'suppressions'],
    },
    { id: 'U5', line: 'DELETE /v1/suppressions/sup_01k3zq6v9efxt8h5m2r7wbnycd', key: keys.write, expect: [403, 'insufficient_scope'] },
    { id: 'U7', line, body: { email: 'a@example.com', reason: 'boredom' }, expect: [422, 'validation_failed', 'reason'] },
    {
      id: 'U8',
      line,
      body: { email: 'a@example.com', source_send_id: 'snd_01k3zq6v9efxt8h5m2r7wbnycd' },
      expect: [422, 'unknown_parameter', 'source_send_id'],
    },
  ];
};

const events: Family = ({ keys, ids }) => [
  ...alike(
    'E1',
    [405, 'method_not_allowed'],
    ['PUT', 'PATCH', 'DELETE', 'POST'].map((method) => ({ line: `${method} /v1/events/${ids.event}` })),
  ),
  { id: 'E1', line: 'POST /v1/events', body: {}, expect: [405, 'method_not_allowed'] },
  { id: 'E2', line: 'GET /v1/events?type=contact.sneezed', expect: [400, 'invalid_parameter', 'type'] },
  { id: 'E3', line: `GET /v1/events?resource_id=${ids.foreignContact}`, expect: [200] },
  { id: 'E4', line: `GET /v1/events/${ids.event}`, key: keys.live, expect: NONE },
];

export const families: readonly Family[] = [apiKeys, contacts, audiences, suppressions, events];
