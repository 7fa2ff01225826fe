import { liveSeeds } from './live-seeds.ts';

liveSeeds(1, 51);
