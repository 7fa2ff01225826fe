import type { Scene } from '../scene.ts';

/** Something that a seed may do next. It writes down what it did; where it finds nothing to do it does nothing. */
export type Act = (scene: Scene) => Promise<void>;

/** How often, and what. */
export type Weighted = readonly [weight: number, act: Act];
