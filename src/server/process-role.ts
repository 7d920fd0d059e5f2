/**
 * The role of a process: it serves requests, or runs background work (deliveries and scheduled
 * jobs), or both. Work that concerns the process itself runs in every role.
 */
export interface ProcessRole {
  servesRequests: boolean
  runsJobs: boolean
}

const ROLE_BY_COMMAND: Readonly<Record<string, ProcessRole>> = {
  '': { servesRequests: true, runsJobs: true },
  serve: { servesRequests: true, runsJobs: false },
  work: { servesRequests: false, runsJobs: true },
}

/** The role for the first argument of the command line; undefined if the argument is unknown. */
export const parseProcessRole = (word = ''): ProcessRole | undefined => ROLE_BY_COMMAND[word]
