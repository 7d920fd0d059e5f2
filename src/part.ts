/**
 * What a process of Docket does: serve requests, or work for them (deliver events, keep house), or
 * both. What belongs to the process itself it does always.
 */
export interface Part {
  serves: boolean
  works: boolean
}

const PARTS: Readonly<Record<string, Part>> = {
  '': { serves: true, works: true },
  serve: { serves: true, works: false },
  work: { serves: false, works: true },
}

/** The part that the first word of a command line names; undefined if it names none. */
export const partNamed = (word = ''): Part | undefined => PARTS[word]
