/** Zones with and without summer time, with odd quarters, and on both sides of the date line. */
export const ZONES = [
  'UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Asia/Kathmandu', 'Pacific/Auckland', 'Pacific/Chatham', 'America/Santiago',
  'Australia/Lord_Howe', 'Pacific/Honolulu',
] as const; // prettier-ignore
