import { liveSeeds } from './live-seeds.ts';

liveSeeds(201, 251);
