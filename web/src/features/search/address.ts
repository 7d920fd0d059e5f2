import { PLACES, type Place } from './found.ts'

/** All that a search is, as the address has it. */
export interface Address {
  q?: string | undefined
  /** The id of the assignee. */
  who?: string | undefined
  /** The prefix of the project. */
  project?: string | undefined
  /** Places, by commas: `title,comments`. */
  in?: string | undefined
}

export const placesIn = (text = ''): Place[] => {
  const names = text.split(',')
  return PLACES.filter((place) => names.includes(place))
}

/** None and all are the same: everywhere. */
export const placesText = (places: readonly Place[]): string | undefined =>
  places.length === 0 || places.length === PLACES.length ? undefined : places.join(',')
