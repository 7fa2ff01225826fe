// A template with its values put in.
import { drawFor } from '#platform/random.ts';
import { oneLine } from './one-line.ts';
import type { Template } from './parse-template.ts';

/** Bytes of UTF-8 that a render may give. */
export const RENDER_LIMIT = 1024 * 1024;

/** A render grew over RENDER_LIMIT. */
export class TemplateTooLarge extends Error {
  override name = 'TemplateTooLarge';
}

/**
 * `sources` are asked in order. `escapeHtml` for HTML bodies: values (defaults too) lose their meaning as markup. `singleLine` for subjects: control
 * characters in values become spaces, so that a value cannot break a header; what the template itself says is left alone.
 */
export type RenderOptions = { sources: readonly object[]; escapeHtml: boolean; seed: string; singleLine?: boolean };

/**
 * The text, and the variables that had neither value nor default (dotted, each once; they are empty in the text). A value is a string, a number or a
 * boolean: the first source that has one wins, and null, objects and arrays count as absent. A default stands in for an absent or a blank value.
 * Only own properties of plain objects are followed. The same seed chooses the same spintax options; the n-th group of two templates is drawn alike.
 * Throws TemplateTooLarge.
 */
export function render(template: Template, options: RenderOptions): { text: string; unresolved: string[] } {
  const { steps } = template;
  const unresolved = new Set<string>();
  let text = '';
  let room = RENDER_LIMIT;
  for (let at = 0; at < steps.length; at++) {
    const step = steps[at];
    if (step === undefined) break;
    if (step.kind === 'jump') {
      at = step.to - 1;
    } else if (step.kind === 'choose') {
      const chosen = step.options[Math.floor(drawFor(options.seed, step.draw) * step.options.length)];
      if (chosen === undefined) throw new Error('a draw outside the options');
      at = chosen - 1;
    } else {
      const piece = step.kind === 'text' ? step.text : valueText(step, options, unresolved);
      room -= Buffer.byteLength(piece);
      if (room < 0) throw new TemplateTooLarge(`The text is larger than ${RENDER_LIMIT} bytes.`);
      text += piece;
    }
  }
  return { text, unresolved: [...unresolved] };
}

function valueText(step: { path: readonly string[]; fallback: string | null }, options: RenderOptions, unresolved: Set<string>): string {
  let value = lookUp(options.sources, step.path);
  if (step.fallback !== null && (value === null || value.trim() === '')) value = step.fallback;
  if (value === null) {
    unresolved.add(step.path.join('.'));
    return '';
  }
  // A value over the limit must not be copied by the replacements first.
  if (value.length > RENDER_LIMIT) throw new TemplateTooLarge(`A value is larger than ${RENDER_LIMIT} bytes.`);
  if (options.singleLine) value = oneLine(value);
  return options.escapeHtml ? value.replace(/[&<>"']/g, (character) => ENTITY[character] ?? character) : value;
}

const ENTITY: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function lookUp(sources: readonly object[], path: readonly string[]): string | null {
  for (const source of sources) {
    let value: unknown = source;
    for (const name of path) value = ownValue(value, name);
    if (typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  }
  return null;
}

function ownValue(holder: unknown, name: string): unknown {
  if (typeof holder !== 'object' || holder === null || Array.isArray(holder) || !Object.hasOwn(holder, name)) return undefined;
  return (holder as Record<string, unknown>)[name];
}
