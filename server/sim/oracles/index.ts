// What must hold of every story, whatever its seed. Each oracle reads the story alone and decides by rules of its own, not by the product's.
import type { Breach, Story } from '../story.ts';
import { capBreaches } from './cap.ts';
import { eventBreaches } from './events.ts';
import { gapBreaches } from './gap.ts';
import { onceBreaches } from './once.ts';
import { restBreaches } from './rest.ts';
import { sameInboxBreaches } from './same-inbox.ts';
import { stopBreaches } from './stop.ts';
import { winnerBreaches } from './winner.ts';
import { windowBreaches } from './window.ts';

const ORACLES = [
  windowBreaches,
  capBreaches,
  gapBreaches,
  stopBreaches,
  onceBreaches,
  winnerBreaches,
  sameInboxBreaches,
  eventBreaches,
  restBreaches,
];

/** Everything that does not hold, the earliest first. */
export const breachesOf = (story: Story): Breach[] => ORACLES.flatMap((oracle) => oracle(story)).sort((a, b) => a.at - b.at);
