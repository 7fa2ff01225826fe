// `npm run windows`: the windows of campaigns in every time zone, around every change of its clocks from 2025 to 2035. Takes a few minutes.
import { allZones, changesOf, checkChange } from '#testing/windows.ts';

let changes = 0;
let instants = 0;
for (const zone of allZones()) {
  for (const change of changesOf(zone)) {
    changes++;
    instants += checkChange(zone, change);
  }
}
console.log(`${allZones().length} zones, ${changes} changes of clocks, ${instants} instants: none outside its window.`);
