import { liveSeeds } from './live-seeds.ts';

liveSeeds(151, 201);
