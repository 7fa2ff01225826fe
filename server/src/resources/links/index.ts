// The door. Links: the addresses in our mails that lead back to us, and what they stand for.
// Asked by whatever writes a letter, and by the pages to which they lead.
export { dress, webAddress } from './dress.ts';
export { keepLinks, linkOf } from './store.ts';
export { linkTo, tokenIn } from './token.ts';
