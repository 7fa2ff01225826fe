import { type Family, alike } from './case.ts';

const get = (line: string) => ({ line: `GET ${line}` });
const NONE = [404, 'resource_missing'] as const;

export const lists: Family = ({ keys, ids }) => [
  { id: 'L1', ...get(`/v1/inboxes/${ids.contact}`), expect: NONE },
  { id: 'L1', ...get(`/v1/contacts/${ids.inbox}`), expect: NONE },
  ...alike(
    'L2',
    NONE,
    ['con_', `con_${'a'.repeat(1900)}`, 'con_%C3%A9', 'con_%27%3B%20drop%20table%20contacts%3B--', 'x', ids.contact.toUpperCase()].map((id) =>
      get(`/v1/contacts/${id}`),
    ),
  ),
  { id: 'L2', ...get(`/v1/contacts/con_${'a'.repeat(10_000)}`), expect: NONE },
  { id: 'L3', ...get(`/v1/contacts/${ids.foreignContact}`), expect: NONE },
  { id: 'L3', line: `PATCH /v1/contacts/${ids.foreignContact}`, body: { attributes: { a: 1 } }, expect: NONE },
  { id: 'L3', line: `DELETE /v1/contacts/${ids.foreignContact}`, expect: NONE },
  { id: 'L4', ...get(`/v1/contacts/${ids.contact}`), key: keys.live, expect: NONE },
  { id: 'L4', line: `DELETE /v1/contacts/${ids.contact}`, key: keys.live, expect: NONE },
  { id: 'L5', ...get(`/v1/contacts/${ids.deletedContact}`), expect: NONE },
  ...alike(
    'L6',
    [400, 'invalid_parameter', 'limit'],
    ['0', '-1', '1000000000', 'abc', '1,2', '', '1.5', '101', '%2B1', '0x10'].map((limit) => get(`/v1/contacts?limit=${limit}`)),
  ),
  { id: 'L7', ...get(`/v1/contacts?starting_after=${ids.contact}&ending_before=${ids.contact}`), expect: [400, 'invalid_cursor'] },
  ...alike(
    'L8',
    [400, 'invalid_cursor'],
    ['x', 'e30', `${ids.contact}x`, ids.inbox, '%F0%9F%98%80'].map((cursor) => get(`/v1/contacts?starting_after=${cursor}`)),
  ),
  ...alike(
    'L9',
    [400, 'invalid_parameter', 'expand'],
    ['inbox,secret', 'secret', ''].map((expand) => get(`/v1/sends?expand=${expand}`)),
  ),
  ...alike('L10', [400, 'invalid_parameter', 'status'], [get("/v1/campaigns?status=';--"), get('/v1/inboxes?status=nice')]),
  { id: 'L12', ...get(`/v1/contacts?q=${'a'.repeat(100_000)}`), expect: [400, 'invalid_parameter', 'q'] },
  { id: 'L12', ...get(`/v1/contacts?q=${encodeURIComponent('(a+)+$'.repeat(20))}`), expect: [200] },
  ...alike('L13', [400, 'invalid_parameter', 'limit'], [get('/v1/contacts?limit=1&limit=2'), get('/v1/events?limit=1&limit=1')]),
  { id: 'L14', ...get(`/v1/contacts?starting_after=${ids.cursor}`), expect: [200] },
  { id: 'L14', ...get(`/v1/contacts?starting_after=${ids.deletedContact}`), expect: [400, 'invalid_cursor'] },
];
