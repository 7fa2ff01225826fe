import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOf } from './texts.ts';

const variant = (id: string, disabled = false) => ({ id, disabled, subject: id, body_html: '', body_text: id });
const step = (variants: ReturnType<typeof variant>[] | null, winning: string | null = null) =>
  ({ id: 'stp_1', subject: 'own', body_html: '', body_text: 'own', variants, winning_variant_id: winning }); // prettier-ignore
const drawnOf = (of: ReturnType<typeof step>, contact: number) => textOf(of, { campaignId: 'cmp_1', contactId: `con_${contact}` });

test('the text of a step is drawn evenly among its own and the open variants, and stays the same for the same person', () => {
  const counts = new Map<string | null, number>();
  const three = step([variant('x'), variant('off', true), variant('y')]);
  for (let i = 0; i < 3_000; i++) {
    const { variantId, text } = drawnOf(three, i);
    counts.set(variantId, (counts.get(variantId) ?? 0) + 1);
    assert.equal(text.subject, variantId ?? 'own');
    assert.equal(drawnOf(three, i).variantId, variantId);
  }
  assert.deepEqual(new Set(counts.keys()), new Set([null, 'x', 'y']));
  // Three standard deviations of a fair draw.
  for (const [id, count] of counts) assert.ok(Math.abs(count - 1_000) < 3 * Math.sqrt(3_000 * (1 / 3) * (2 / 3)), `${id}: ${count}`);
});

test('a winner is all that is sent, and a step without variants sends its own text', () => {
  for (let i = 0; i < 50; i++) {
    assert.equal(drawnOf(step([variant('x'), variant('y', true)], 'y'), i).variantId, 'y');
    assert.equal(drawnOf(step([variant('x')], 'gone'), i).variantId, drawnOf(step([variant('x')]), i).variantId);
    assert.deepEqual(drawnOf(step(null), i).variantId, null);
  }
});
