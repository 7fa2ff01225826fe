// The door. Enrollments: one contact on its way through one campaign; the noun between contacts and campaigns.
// Made by attaching; moved on by sending; ended by answers, bounces and callers.
export { endEnrollments } from './end.ts';
export { type Enrolled, enroll } from './enroll.ts';
export type { Ending } from './rules.ts';
export { type Row as Enrollment, list as listEnrollments, lockEnrollments, ofContact as enrollmentsOfContact, wakePlanner } from './store.ts';
export { CampaignContact, CampaignContactQuery, present as presentEnrollment } from './wire.ts';
