// The door. Test clock: the calendar of a workspace's test mode.
// Moved by callers; walked by engine/test-clock, which lets happen what falls due on the way.
export { type Kind, type Next, type Walk, clocksToWalk, endAdvance, giveBackClock, hasLanes, keepClock, leaseClock, nextDue, reach } from './walk.ts';
