// The list of guards must not rot: what it takes away stands where it says, and the tests that it names are there. `npm run mutants` tries it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { MUTANTS } from './mutants/list.ts';
import { edit, edited, mutated } from './mutants/mutant.ts';
import { type Result, verdictOf } from './mutants/trial.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** The titles of a test file, as patterns: what a template fills in may be anything. */
function titlesIn(source: string): RegExp[] {
  const plain = [...source.matchAll(/\btest\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/gs)];
  return plain.map(([, quote, text]) => {
    const parts = quote === '`' ? text!.split(/\$\{(?:[^{}]|\{[^{}]*\})*\}/) : [text!];
    return new RegExp(`^${parts.map((part) => RegExp.escape(part.replaceAll(/\\(.)/g, '$1'))).join('.*')}$`, 's');
  });
}

test('forty guards at least, each with a name of its own, what it protects, and a test', () => {
  assert.ok(MUTANTS.length >= 40, `${MUTANTS.length} guards`);
  assert.equal(new Set(MUTANTS.map(({ guard }) => guard)).size, MUTANTS.length);
  for (const { guard, protects, killedBy } of MUTANTS) {
    assert.match(guard, /^[a-z]+(?:-[a-z]+)*$/);
    assert.match(protects, /^[A-Z].*\.$/, guard);
    assert.ok(Object.values(killedBy).flat().length > 0, guard);
  }
});

test('what is taken away stands in its file once, and what is left can be read', () => {
  for (const mutant of MUTANTS) {
    for (const [file, text] of mutated(mutant, read)) if (file.endsWith('.ts')) assert.doesNotThrow(() => stripTypeScriptTypes(text), mutant.guard);
  }
});

test('every test that is named is there', () => {
  const known = new Map<string, RegExp[]>();
  const titlesOf = (file: string) => known.getOrInsertComputed(file, () => titlesIn(read(file)));
  for (const { guard, killedBy } of MUTANTS) {
    for (const [file, titles] of Object.entries(killedBy)) {
      const missing = titles.filter((title) => !titlesOf(file).some((one) => one.test(title)));
      assert.deepEqual(missing, [], `${guard}: not in ${file}`);
    }
  }
});

test('a text that is not there, or there twice, is an error and no survivor', () => {
  assert.equal(edited('one two', edit('f', 'two', 'three')), 'one three');
  assert.throws(() => edited('one two', edit('f', 'four')), /f holds 0 times, not once: four/);
  assert.throws(() => edited('one one', edit('f', 'one')), /f holds 2 times, not once: one/);
  assert.throws(() => edited('one', edit('f', 'one', 'one')), /nothing is changed/);
  assert.deepEqual([...mutated({ edits: [edit('f', 'a', 'x'), edit('f', 'b', 'y')] }, () => 'ab')], [['f', 'xy']]);
});

const failed = (title: string, words: string, { type = 'testCodeFailure', code = '' } = {}): Result => ({
  title,
  ms: 1,
  error: { type, words, code },
});
const passed = (title: string): Result => ({ title, ms: 1, error: null });

test('a guard is shown when every named test fails by what it sees, and by nothing else', () => {
  const kindOf = (...results: Result[]) => verdictOf({ 'a.test.ts': ['one', 'two'] }, results).kind;
  const no = 'AssertionError: 1 !== 2';
  assert.equal(kindOf(failed('one', no), failed('two', no)), 'killed');
  assert.equal(kindOf(failed('one', no), failed('two', 'Error: duplicate key', { code: '23505' })), 'killed');
  assert.equal(kindOf(failed('one', no), passed('two')), 'survived');
  assert.equal(kindOf(passed('one'), passed('two')), 'survived');
  assert.equal(kindOf(failed('one', no)), 'broken', 'one did not run');
  assert.equal(kindOf(failed('a.test.ts', 'Error: exit code 1')), 'broken', 'the file could not be loaded');
  for (const empty of [
    failed('two', 'SyntaxError: Unexpected token'),
    failed('two', 'ReferenceError: guard is not defined'),
    failed('two', 'error: column "x" does not exist', { code: '42703' }),
    failed('two', 'Error: The migration 0006_sends.sql failed: syntax error'),
    failed('two', 'Error: no house', { type: 'hookFailed' }),
  ]) {
    assert.equal(kindOf(failed('one', no), empty), 'broken', empty.error!.words);
  }
  const late = verdictOf({ 'a.test.ts': ['one'] }, [failed('one', 'test timed out', { type: 'testTimeoutFailure' })]);
  assert.deepEqual([late.kind, late.kind === 'killed' && late.isTimeout], ['killed', true]);
});
