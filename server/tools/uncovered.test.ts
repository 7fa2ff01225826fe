import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { declaredFields, filledFields } from '#testing/fields.ts';
import { promised, seenIn, uncovered } from './uncovered.ts';

const Cat = z.object({ id: z.string(), owner: z.object({ name: z.string().nullable() }).nullable() }).meta({ id: 'Cat' });
const Cats = z.object({ object: z.literal('list'), data: z.array(Cat), next_cursor: z.string().nullable() });

test('fields are counted by the name of their schema; null and absent are not filled', () => {
  const all = ['Cat.id', 'Cat.owner', 'Cat.owner.name', 'List.data', 'List.next_cursor', 'List.object'];
  assert.deepEqual([...declaredFields(Cats, 'listCats')].sort(), all);
  assert.deepEqual([...declaredFields(z.object({ n: z.int() }), 'countCats')], ['countCats.n']);
  const filled = new Set<string>();
  filledFields(
    Cats,
    {
      object: 'list',
      data: [
        { id: 'a', owner: null },
        { id: 'b', owner: { name: null } },
      ],
      next_cursor: null,
    },
    'listCats',
    filled,
  );
  assert.deepEqual([...filled].sort(), ['Cat.id', 'Cat.owner', 'List.data', 'List.object']);
});

test('what is promised and seen in no file is uncovered', () => {
  const all = { operations: ['listCats', 'petCat'], fields: ['Cat.id', 'Cat.owner'], codes: ['cat_asleep'] };
  const folder = mkdtempSync(join(tmpdir(), 'postrider-seen-'));
  try {
    writeFileSync(join(folder, '1-1.json'), JSON.stringify({ operations: ['listCats'], fields: ['Cat.id'], codes: [] }));
    writeFileSync(join(folder, '2-1.json'), JSON.stringify({ operations: [], fields: ['Cat.id'], codes: ['cat_asleep'] }));
    assert.deepEqual(uncovered(all, seenIn(folder)), ['field Cat.owner', 'operation petCat']);
  } finally {
    rmSync(folder, { recursive: true });
  }
  const { operations, fields, codes } = promised();
  assert.ok(operations.includes('createContact') && fields.includes('Contact.lead_status') && codes.includes('invalid_json'));
});
