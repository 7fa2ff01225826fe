// Changes to an ordered list of steps, as pure functions from the old list to the new: the steps of a sequence and those of a campaign
// obey the same rules. Steps that a change does not touch are the very same objects in both lists.
import { Refusal } from '#platform/refusal.ts';
import { MAX_STEPS, type Step, type StepBody, emptyStep, numbered, requireFirstSubject, written } from './rules.ts';

export type Edited = { steps: Step[]; step: Step };
type Ids = { id: string; mintVariant: () => string; at?: string };

/** Put a new step where its step_order says, before the one that is there; without one, at the end. */
export function addStep(steps: readonly Step[], body: StepBody, { id, mintVariant, at = '' }: Ids): Edited {
  if (steps.length >= MAX_STEPS) throw new Refusal('validation_failed', `There are at most ${MAX_STEPS} steps.`, { param: `${at}step_order` });
  const place = requirePlace(body.step_order ?? steps.length, steps.length, at);
  const step = written(emptyStep(id), body, mintVariant, at);
  return settled(steps, [...steps.slice(0, place), step, ...steps.slice(place)], id, at);
}

/** Change a step that is among `steps`, and move it where its step_order says. */
export function changeStep(steps: readonly Step[], body: StepBody, { id, mintVariant, at = '' }: Ids): Edited {
  const before = steps.find((one) => one.id === id)!;
  const place = requirePlace(body.step_order ?? before.step_order, steps.length - 1, at);
  const others = steps.filter((one) => one.id !== id);
  const step = written(before, body, mintVariant, at);
  return settled(steps, [...others.slice(0, place), step, ...others.slice(place)], id, at);
}

/** Take a step out; later ones move up. What then comes first may lack a subject: starting a campaign will say so. */
export const removeStep = (steps: readonly Step[], id: string): Step[] => numbered(steps.filter((one) => one.id !== id));

/** The steps in the order of `ids`, which must name each once. Steps in `reached` must stay where they are. */
export function reorderSteps(steps: readonly Step[], ids: readonly string[], reached: ReadonlySet<string> = new Set()): Step[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const order = ids.map((id, index) => {
    const step = byId.get(id);
    // Taken out as it is met: the same id a second time is as wrong as an unknown one.
    if (!byId.delete(id) || !step) throw refusedOrder('Unknown, or named twice.', index);
    if (reached.has(id) && step.step_order !== index) throw refusedOrder('Leads have reached this step: it keeps its position.', index);
    return step;
  });
  if (byId.size)
    throw new Refusal('validation_failed', `step_ids must name every step; ${[...byId.keys()].join(', ')} missing.`, { param: 'step_ids' });
  const after = numbered(order);
  if (after[0] !== steps[0]) requireFirstSubject(after);
  return after;
}

const refusedOrder = (message: string, index: number) => new Refusal('validation_failed', message, { param: `step_ids[${index}]` });

function requirePlace(place: number, last: number, at: string): number {
  if (place > last) throw new Refusal('validation_failed', `step_order is at most ${last} here.`, { param: `${at}step_order` });
  return place;
}

function settled(before: readonly Step[], order: readonly Step[], id: string, at: string): Edited {
  const steps = numbered(order);
  if (steps[0] !== before[0]) requireFirstSubject(steps, at);
  return { steps, step: steps.find((one) => one.id === id)! };
}

/**
 * The first steps of a new list. They stand in the order of their step_order where each gives one (0, 1, 2 … in any order), else they are
 * added one by one.
 */
export function firstSteps(bodies: readonly StepBody[], ids: { id: () => string; mintVariant: () => string }): Step[] {
  const places = [...bodies.entries()].map(([index, body]) => ({ index, body, at: `steps[${index}].` }));
  const all = places.every(({ body }) => body.step_order !== undefined);
  if (all) places.sort((a, b) => a.body.step_order! - b.body.step_order!);
  return places.reduce<Step[]>((steps, { body, at }) => {
    if (all && body.step_order !== steps.length) {
      throw new Refusal('validation_failed', 'The positions of the steps are 0, 1, 2 and so on, each once.', { param: `${at}step_order` });
    }
    return addStep(steps, body, { id: ids.id(), mintVariant: ids.mintVariant, at }).steps;
  }, []);
}
