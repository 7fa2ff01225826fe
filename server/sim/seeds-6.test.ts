import { liveSeeds } from './live-seeds.ts';

liveSeeds(251, 301);
