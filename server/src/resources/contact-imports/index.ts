// The door. Contact imports: CSV files that become contacts, within their call or, when they are large, by a worker.
// Asked by the importing loop, which carries out what waits.
export { ImportTakenOver, beginImport, endImport, importChunk, wishesOf } from './carry-out.ts';
export { queueImport } from './import-contacts.ts';
export { type Rows, rowsOf } from './read-file.ts';
export { type Row as ContactImportRow, byId as importById, claimDue, fileOf, freeLeasesOf, giveBack } from './store.ts';
