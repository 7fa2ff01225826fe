// The door. Imports: carries out the files that were too large for their call.
export { type Imports, importsLoop } from './loop.ts';
