import { liveSeeds } from './live-seeds.ts';

liveSeeds(51, 101);
