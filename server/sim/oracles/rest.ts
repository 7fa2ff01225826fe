import type { Breach, Story } from '../story.ts';

/** When nothing goes wrong any more and time has passed, nothing is left in hand, and the service has stumbled over nothing. */
export function restBreaches(story: Story): Breach[] {
  const inHand = story.end.sends.filter((one) => one.state === 'sending').map((one) => `send ${one.id} is in hand for ever`);
  return [...inHand, ...story.errors].map((what) => ({ oracle: 'rest', at: story.until, what }));
}
