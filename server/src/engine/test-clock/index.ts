// The door. Test clock: walks the calendars of test modes that were moved, and lets happen what falls due on the way.
export { type Passes, type TestClockLoop, testClockLoop } from './loop.ts';
