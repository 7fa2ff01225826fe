import { liveSeeds } from './live-seeds.ts';

liveSeeds(1, 11, 'test');
