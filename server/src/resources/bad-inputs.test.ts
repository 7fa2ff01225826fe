import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { BadCall, Scene } from '#testing/bad-inputs/case.ts';
import { ALL_IDS, OPEN, SHOWN } from '#testing/bad-inputs/list.ts';
import { lists } from '#testing/bad-inputs/lists.ts';
import { families } from '#testing/bad-inputs/resources.ts';
import { transport } from '#testing/bad-inputs/transport.ts';
import { fingerprint } from '#testing/fingerprint.ts';
import { type House, house } from '#testing/house.ts';

const SRC = resolve(import.meta.dirname, '..');

let h: House;
let scene: Scene;
before(async () => {
  h = await house();
  scene = await sceneOf(h);
});
after(() => h.close());

async function sceneOf(place: House): Promise<Scene> {
  const [api, foreign] = [await place.api(), await place.api({ workspace: 'two' })];
  const contact = await api.contacts.create({ email: 'ann@example.com' });
  const deleted = await api.contacts.create({ email: 'gone@example.com' });
  const cursor = (await api.contacts.list({ limit: 1 })).next_cursor!;
  await api.contacts.delete(deleted.id);
  const audience = await api.audiences.create({ name: 'Leads' });
  await api.audiences.addContacts(audience.id, { contact_ids: [contact.id] });
  const inbox = await api.inboxes.createSandbox();
  const sequence = await api.sequences.create({ name: 'One', steps: [{ subject: 'Hi', body_text: 'Hello' }] });
  const [event] = (await api.events.list({ limit: 1 })).data;
  const keys = {
    test: await place.secretFor(),
    live: await place.secretFor({ mode: 'live' }),
    read: await place.secretFor({ scope: 'read' }),
    write: await place.secretFor({ scope: 'write' }),
    foreign: await place.secretFor({ workspace: 'two' }),
  };
  const foreignContact = (await foreign.contacts.create({ email: 'far@example.com' })).id;
  const key = await api.apiKeys.create({ name: 'other' });
  const ids = {
    contact: contact.id,
    foreignContact,
    deletedContact: deleted.id,
    cursor,
    audience: audience.id,
    inbox: inbox.id,
    sequence: sequence.id,
  };
  return { keys, ids: { ...ids, event: event!.id, key: key.id } };
}

const casesOf = (given: Scene) => [transport, lists, ...families].flatMap((family) => family(given));

/** The answer's status, code and param, as far as the case speaks of them; what it wrote stands in `wrote`. */
async function tried({ line, body, raw, headers = {}, key, expect }: BadCall) {
  const [method, url] = line.split(' ') as ['GET', string];
  const was = await fingerprint(h.db);
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const answer = await h.app.inject({
    method,
    url,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key ?? scene.keys.test}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(payload !== undefined && { payload }),
  });
  const wrote = answer.statusCode !== 201 && (await fingerprint(h.db)) !== was;
  const error = answer.statusCode >= 400 ? answer.json<{ error: { code: string; param?: string } }>().error : undefined;
  return { got: [answer.statusCode, error?.code, error?.param].slice(0, expect.length), wrote };
}

test('each bad call is refused by name and writes nothing', async () => {
  const faults: unknown[] = [];
  for (const one of casesOf(scene)) {
    const told = `${one.id} ${one.line.slice(0, 120)} ${(JSON.stringify(one.body) ?? String(one.raw ?? '')).slice(0, 120)}`;
    const { got, wrote } = await tried(one);
    if (!isDeepStrictEqual(got, [...one.expect])) faults.push({ told, got, expect: one.expect });
    if (wrote) faults.push({ told, wrote });
  }
  assert.deepEqual(faults, []);
});

test('what is not there and what is not mine are told in the same words', async () => {
  const body = async (id: string, key: string) => {
    const { statusCode, body: text } = await h.app.inject({ url: `/v1/contacts/${id}`, headers: { authorization: `Bearer ${key}` } });
    return [statusCode, text.replaceAll(/req_\w+/g, 'req')];
  };
  const absent = await body('con_01k3zq6v9efxt8h5m2r7wbnycd', scene.keys.test);
  assert.deepEqual(await body(scene.ids.foreignContact, scene.keys.test), absent);
  assert.deepEqual(await body(scene.ids.contact, scene.keys.live), absent);
  assert.deepEqual(await body(scene.ids.contact, scene.keys.foreign), absent);
  assert.deepEqual(await body(scene.ids.deletedContact, scene.keys.test), absent);
});

test('every id of the list is in a table, in the title of a test, in a test that is named, or openly missing', () => {
  const titles = globSync('**/*.test.ts', { cwd: SRC }).flatMap((file) =>
    [...readFileSync(join(SRC, file), 'utf8').matchAll(/\[((?:[A-Z]\d+[,; ]*)+)\]/g)].flatMap(([, ids = '']) => ids.split(/[,; ]+/)),
  );
  const inTables = casesOf(scene).map((one) => one.id);
  const named = SHOWN.flatMap(({ ids }) => ids.split(' '));
  const shown = new Set([...titles, ...inTables, ...named]);
  const open = new Set(OPEN);
  assert.deepEqual(
    ALL_IDS.filter((id) => !shown.has(id) && !open.has(id)),
    [],
    'shown nowhere',
  );
  assert.deepEqual(
    OPEN.filter((id) => shown.has(id)),
    [],
    'shown by now: take it out of OPEN',
  );
  const known = new Set(ALL_IDS);
  assert.deepEqual(
    [...inTables, ...named, ...OPEN].filter((id) => !known.has(id)),
    [],
    'no such id',
  );
});

test('each test that the list names is there', () => {
  for (const { file, title } of SHOWN) {
    const text = readFileSync(join(SRC, file), 'utf8');
    assert.ok(text.includes(`'${title}'`) || text.includes(`\`${title}\``), `${file} has no test “${title}”`);
  }
});
