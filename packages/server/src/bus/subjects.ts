// Names on the bus that several features share.

/** What changed in a workspace, told to everyone who follows it: `{name, data, fields?}`. */
export const teamSubject = (teamId: string): string => `team:${teamId}`
