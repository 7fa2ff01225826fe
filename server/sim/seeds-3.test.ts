import { liveSeeds } from './live-seeds.ts';

liveSeeds(101, 151);
