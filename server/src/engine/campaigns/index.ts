// The door. Campaigns: decides each due enrollment's next step and writes it down as a send.
export { campaignsLoop, planDue } from './loop.ts';
