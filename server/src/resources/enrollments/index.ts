// The door. Enrollments: one contact on its way through one campaign; the noun between contacts and campaigns.
// Made by attaching; moved on by sending; ended by answers, bounces and callers.
export { endEnrollments } from './end.ts';
export { campaignsUsing, handBack } from './hand-back.ts';
export { type Enrolled, type Enrolling, enroll } from './enroll.ts';
export type { Ending } from './rules.ts';
export {
  type Row as Enrollment,
  activeAfter as activeEnrollments,
  closeGap,
  contactsIn,
  list as listEnrollments,
  lockEnrollments,
  ofContact as enrollmentsOfContact,
  ofContacts as enrollmentsOfContacts,
  planAgain,
  postpone,
  removeAll as removeEnrollments,
  stepsHad,
  wakePlanner,
} from './store.ts';
export { CampaignContact, CampaignContactQuery, EnrollmentStatus, present as presentEnrollment } from './wire.ts';
