// The door. Campaigns: who is mailed which steps, from which inboxes, in which hours.
// Steered by callers; carried out by the planner and the sending loop.
export { chooseWinners } from './choose-winners.ts';
export { type CampaignFacts, factsToPlan } from './plan-facts.ts';
export { type Plan, type Planned, planCampaign } from './plan.ts';
export { countBounces, lockForBounces, protect } from './protect.ts';
export { type Schedule, isOpen, nextClosing, nextOpening } from './schedule.ts';
export { replySubject, stepLetter } from './step-letter.ts';
export { stopLeads } from './stop-leads.ts';
export { type Row as Campaign, type Step as CampaignStep, steps as campaignSteps } from './store.ts';
export { present as presentCampaign } from './wire.ts';
