/** The UTC month of an instant as its first day, YYYY-MM-01. */
export const monthOf = (at: Date): string => `${at.toISOString().slice(0, 7)}-01`;
