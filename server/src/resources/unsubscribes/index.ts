// The door. Unsubscribes: somebody asks to be left alone, by the link in a mail, a button of their mail program, or in an answer.
// Asked by the page behind the link and by whatever reads answers.
export { unsubscribe } from './unsubscribe.ts';
